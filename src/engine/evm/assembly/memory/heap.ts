import { framesEnd, framesStart, moveFrames } from './frames.ts'
import { PAGE } from './linear-memory.ts'

/** The heap, which is never freed, between static data and frames. When it grows, the frames move up. */

/** Initial size of the heap. */
const FIRST_HEAP: usize = 2 << 20

let heapTop: usize = 0

export function initializeHeap(): void {
  heapTop = (__heap_base + 15) & ~15
  moveFrames((heapTop + FIRST_HEAP + PAGE - 1) & ~(PAGE - 1))
}

/**
 * When it moves the frames, their old memory stays readable until the next instruction; writes must go to the new one
 * (`stackPointer`, `memoryBase`).
 */
export function allocateFromHeap(size: usize): usize {
  let at = heapTop
  let end = (at + size + 15) & ~15
  if (end > framesStart) {
    at = (framesEnd() + 15) & ~15
    end = (at + size + 15) & ~15
    moveFrames((end + ((end - __heap_base) >> 1) + PAGE - 1) & ~(PAGE - 1))
  }
  heapTop = end
  return at
}
