import { ensureMemory } from '../memory/linear-memory.ts'
import { NOT_A_SIZE, reverseWord } from '../words/word.ts'
import { charge, framesStart, memoryBase, memorySize, setMemorySize } from './frames.ts'

/** A frame's memory. */

const MEMORY_WORD_GAS: u64 = 3
const QUADRATIC_DIVISOR_BITS: u64 = 9
/** Bytes that the frames of a message may have together; whoever wants more is out of gas. */
const MEMORY_LIMIT: u64 = 256 << 20

/** Gas of a memory of so many words (yellow paper, appendix H.1, C_mem). */
function memoryGas(words: u64): u64 {
  return MEMORY_WORD_GAS * words + ((words * words) >> QUADRATIC_DIVISOR_BITS)
}

/** Charges for and makes `size` bytes at `offset`, both as `toSize` gave them. False: out of gas. */
export function expandMemory(offset: usize, size: usize): bool {
  if (size === 0) return true
  if (offset === NOT_A_SIZE || size === NOT_A_SIZE) return false
  const end = <u64>offset + <u64>size
  if (end <= <u64>memorySize) return true
  if (<u64>(memoryBase - framesStart) + end > MEMORY_LIMIT) return false
  const words = (end + 31) >> 5
  if (!charge(memoryGas(words) - memoryGas(<u64>(memorySize >> 5)))) return false
  const bytes = <usize>(words << 5)
  ensureMemory(memoryBase + bytes)
  memory.fill(memoryBase + memorySize, 0, bytes - memorySize)
  setMemorySize(bytes)
  return true
}

export function loadWord(to: usize, offset: usize): void {
  reverseWord(to, memoryBase + offset)
}

export function storeWord(offset: usize, from: usize): void {
  reverseWord(memoryBase + offset, from)
}

/** `size` bytes from `offset` of a source, zeros behind its end. */
export function copyPadded(to: usize, source: usize, sourceSize: usize, offset: usize, size: usize): void {
  const available = offset < sourceSize ? min<usize>(size, sourceSize - offset) : 0
  // Even a copy of nothing traps when it names a place outside the memory.
  if (available !== 0) memory.copy(to, source + offset, available)
  memory.fill(to + available, 0, size - available)
}

/** Charges for copying (yellow paper, G_copy) `size` bytes. */
export function chargeWords(size: usize, gasPerWord: i64): bool {
  return charge(((<i64>size + 31) / 32) * gasPerWord)
}
