/** The memory of the instance as a whole: static data, then the heap, then the frames, which grow at its end. */

export const PAGE: usize = 65536

/** Bytes that there are. */
let memoryEnd: usize = 0

/** Makes everything below `end` memory; traps when the machine has none. */
export function ensureMemory(end: usize): void {
  if (end <= memoryEnd) return
  if (memoryEnd === 0) memoryEnd = (<usize>memory.size()) << 16
  if (end <= memoryEnd) return
  const pages = (end - memoryEnd + PAGE - 1) >> 16
  // Some more than asked for: growing costs as much as a thousand instructions.
  const wanted = max<usize>(pages, memoryEnd >> 18)
  if (memory.grow(<i32>wanted) < 0 && memory.grow(<i32>pages) < 0) unreachable()
  memoryEnd = (<usize>memory.size()) << 16
}
