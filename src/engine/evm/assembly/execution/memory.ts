import { charge, framesStart, memoryBase, memorySize, setMemorySize } from '../memory/frames.ts'
import { ensureMemory } from '../memory/linear-memory.ts'
import { NOT_A_SIZE, reverseWord } from '../words/word.ts'

/** Memory of a frame. */

const MEMORY_WORD_GAS: u64 = 3
const QUADRATIC_DIVISOR_BITS: u64 = 9
/** Maximum memory of all frames of a message together; beyond it a frame runs out of gas. */
const MEMORY_LIMIT: u64 = 256 << 20

/** Memory gas for a number of words (Yellow Paper, appendix H.1, C_mem). */
function memoryGas(words: u64): u64 {
  return MEMORY_WORD_GAS * words + ((words * words) >> QUADRATIC_DIVISOR_BITS)
}

/** Charges for and allocates `size` bytes at `offset`, both from `toSize`. False: out of gas. */
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

/** Copies `size` bytes from `offset` of a source, zero-padded beyond its end. */
export function copyPadded(to: usize, source: usize, sourceSize: usize, offset: usize, size: usize): void {
  const available = offset < sourceSize ? min<usize>(size, sourceSize - offset) : 0
  // Even an empty copy traps on an address outside the memory.
  if (available !== 0) memory.copy(to, source + offset, available)
  memory.fill(to + available, 0, size - available)
}

/** Charges for copying `size` bytes (Yellow Paper, G_copy). */
export function chargeWords(size: usize, gasPerWord: i64): bool {
  return charge(((<i64>size + 31) / 32) * gasPerWord)
}
