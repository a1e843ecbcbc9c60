import { multiplyWord } from './montgomery-word.ts'
import { exponentBit, windowEnd, windowSize } from './windows.ts'

/** base, base^3, base^5 ... as words. */
const ODD_POWERS: usize = memory.data(256, 8)

/**
 * base ^ exponent in a single 64-bit word, which stays in locals: for an odd modulus with the base in Montgomery form,
 * or modulo 2^64 for the modulus 0. The exponent is not zero.
 */
export function wordPower(base: u64, bits: usize, modulus: u64, inverse: u64): u64 {
  const window = windowSize(bits)
  const square = multiplyWord(base, base, modulus, inverse)
  store<u64>(ODD_POWERS, base)
  for (let index: usize = 8; index < 4 << window; index += 8) {
    store<u64>(ODD_POWERS + index, multiplyWord(load<u64>(ODD_POWERS + index - 8), square, modulus, inverse))
  }
  let result: u64 = 0
  let started = false
  for (let position: usize = 0; position < bits; ) {
    if (!exponentBit(position)) {
      if (started) result = multiplyWord(result, result, modulus, inverse)
      position++
      continue
    }
    const end = windowEnd(position, bits, window)
    let value: usize = 0
    for (let at = position; at < end; at++) {
      value = (value << 1) | <usize>exponentBit(at)
      if (started) result = multiplyWord(result, result, modulus, inverse)
    }
    const odd = load<u64>(ODD_POWERS + ((value >>> 1) << 3))
    result = started ? multiplyWord(result, odd, modulus, inverse) : odd
    started = true
    position = end
  }
  return result
}
