/** The instance's memory: static data, then the heap, then the frames, which grow at its end. */

export const PAGE: usize = 65536

/** Allocated bytes. */
let memoryEnd: usize = 0

/** Grows the memory to `end`; traps when it cannot. */
export function ensureMemory(end: usize): void {
  if (end <= memoryEnd) return
  if (memoryEnd === 0) memoryEnd = (<usize>memory.size()) << 16
  if (end <= memoryEnd) return
  const pages = (end - memoryEnd + PAGE - 1) >> 16
  // Grows by more than requested: growing costs as much as a thousand instructions.
  const wanted = max<usize>(pages, memoryEnd >> 18)
  if (memory.grow(<i32>wanted) < 0 && memory.grow(<i32>pages) < 0) unreachable()
  memoryEnd = (<usize>memory.size()) << 16
}
