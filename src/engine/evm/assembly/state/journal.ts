import { allocate, release } from '../memory/arena.ts'
import { ARENA_SIZE } from '../memory/layout.ts'

/**
 * Undo log of record parts, so that a failing frame, message or checkpoint can be reverted. Every journaled part is
 * `PART` bytes of a record that never moves.
 */

const ENTRY: usize = 48
const ENTRIES_PER_CHUNK: u32 = 1024
const MAX_CHUNKS: u32 = 16384

const CHUNKS = memory.data(<i32>(MAX_CHUNKS * 4), 16)
const ARENA = memory.data(<i32>ARENA_SIZE, 16)
let chunks: u32 = 0

/** Number of entries, a position for `revertTo`. */
export let journalLength: u32 = 0

/** Saves a part; call it before writing to it. */
export function save(part: usize): void {
  const chunk = journalLength / ENTRIES_PER_CHUNK
  if (chunk === chunks) {
    if (chunk === MAX_CHUNKS) unreachable()
    store<usize>(CHUNKS + (chunk << 2), allocate(ARENA, ENTRY * ENTRIES_PER_CHUNK))
    chunks++
  }
  const entry = load<usize>(CHUNKS + (chunk << 2)) + (journalLength % ENTRIES_PER_CHUNK) * ENTRY
  journalLength++
  store<usize>(entry, part)
  v128.store(entry, v128.load(part), 8)
  v128.store(entry, v128.load(part, 16), 24)
  store<u64>(entry, load<u64>(part, 32), 40)
}

/** Reverts to a journal position. */
export function revertTo(length: u32): void {
  while (journalLength > length) {
    journalLength--
    const entry =
      load<usize>(CHUNKS + ((journalLength / ENTRIES_PER_CHUNK) << 2)) + (journalLength % ENTRIES_PER_CHUNK) * ENTRY
    const part = load<usize>(entry)
    v128.store(part, v128.load(entry, 8))
    v128.store(part, v128.load(entry, 24), 16)
    store<u64>(part, load<u64>(entry, 40), 32)
  }
}

/** Makes all changes permanent. */
export function clearJournal(): void {
  journalLength = 0
}

export function releaseJournal(): void {
  journalLength = 0
  chunks = 0
  release(ARENA)
}
