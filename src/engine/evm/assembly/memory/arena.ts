import { allocateFromHeap } from './heap.ts'

/** Arenas: memory that is released all at once and then reused. */

const CHUNK: usize = 256 << 10
const CHUNK_HEADER: usize = 16
const NEXT: usize = 0
const SIZE: usize = 4

// An arena: its first chunk, the current one, and the free bytes in it.
const FIRST: usize = 0
const CURRENT: usize = 4
const POSITION: usize = 8
const END: usize = 12

/** 16-byte aligned, not cleared. */
export function allocate(arena: usize, size: usize): usize {
  const rounded = (size + 15) & ~15
  const position = load<usize>(arena, POSITION)
  if (rounded <= load<usize>(arena, END) - position) {
    store<usize>(arena, position + rounded, POSITION)
    return position
  }
  openChunk(arena, rounded)
  const start = load<usize>(arena, POSITION)
  store<usize>(arena, start + rounded, POSITION)
  return start
}

/** Releases everything. */
export function release(arena: usize): void {
  const first = load<usize>(arena, FIRST)
  if (first !== 0) useChunk(arena, first)
}

/** The next chunk with `size` free bytes, or a new one. */
function openChunk(arena: usize, size: usize): void {
  const current = load<usize>(arena, CURRENT)
  let chunk: usize = current === 0 ? 0 : load<usize>(current, NEXT)
  while (chunk !== 0 && load<usize>(chunk, SIZE) < size) chunk = load<usize>(chunk, NEXT)
  if (chunk === 0) {
    const room = max<usize>(CHUNK, size)
    chunk = allocateFromHeap(CHUNK_HEADER + room)
    store<usize>(chunk, room, SIZE)
    store<usize>(chunk, current === 0 ? 0 : load<usize>(current, NEXT), NEXT)
    if (current === 0) store<usize>(arena, chunk, FIRST)
    else store<usize>(current, chunk, NEXT)
  }
  useChunk(arena, chunk)
}

function useChunk(arena: usize, chunk: usize): void {
  const start = chunk + CHUNK_HEADER
  store<usize>(arena, chunk, CURRENT)
  store<usize>(arena, start, POSITION)
  store<usize>(arena, start + load<usize>(chunk, SIZE), END)
}

// A buffer: address and capacity.

/** Address of a buffer with room for `size` bytes; its content may be lost. */
export function bufferFor(buffer: usize, size: usize): usize {
  if (load<usize>(buffer, 4) < size) {
    const room = max<usize>(4096, size + (size >> 1))
    store<usize>(buffer, allocateFromHeap(room))
    store<usize>(buffer, room, 4)
  }
  return load<usize>(buffer)
}
