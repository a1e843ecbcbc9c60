import { divide, QUOTIENT, REMAINDER, remainderOfEightByFour } from './division.ts'
import { multiplyFull, multiplyWords } from './multiplication.ts'
import { addWords, copyWord, isLess, isNegative, isZero, negateWord, setWord, subtractWords } from './word.ts'

/**
 * Arithmetic instructions (Yellow Paper, appendix H.2, 0x01 to 0x0b). Operands are the words at `a`, `b`, `c`, with `a`
 * on top of the stack; the result replaces the lowest one.
 */

const LEFT = memory.data(64, 16)
const RIGHT = memory.data(32, 16)

export function quotient(a: usize, b: usize): void {
  if (isZero(b)) return
  if (
    (load<u64>(a, 8) | load<u64>(a, 16) | load<u64>(a, 24) | load<u64>(b, 8) | load<u64>(b, 16) | load<u64>(b, 24)) ===
    0
  ) {
    setWord(b, load<u64>(a) / load<u64>(b))
    return
  }
  divide(a, 4, b)
  copyWord(b, QUOTIENT)
}

export function remainder(a: usize, b: usize): void {
  if (isZero(b)) return
  if (
    (load<u64>(a, 8) | load<u64>(a, 16) | load<u64>(a, 24) | load<u64>(b, 8) | load<u64>(b, 16) | load<u64>(b, 24)) ===
    0
  ) {
    setWord(b, load<u64>(a) % load<u64>(b))
    return
  }
  divide(a, 4, b)
  copyWord(b, REMAINDER)
}

export function signedQuotient(a: usize, b: usize): void {
  const isResultNegative = isNegative(a) !== isNegative(b)
  takeMagnitudes(a, b)
  quotient(LEFT, b)
  if (isResultNegative) negateWord(b, b)
}

export function signedRemainder(a: usize, b: usize): void {
  const isResultNegative = isNegative(a)
  takeMagnitudes(a, b)
  remainder(LEFT, b)
  if (isResultNegative) negateWord(b, b)
}

/** |a| to `LEFT`, |b| in place; the magnitude of the smallest number is 2^255, which fits an unsigned word. */
function takeMagnitudes(a: usize, b: usize): void {
  if (isNegative(a)) negateWord(LEFT, a)
  else copyWord(LEFT, a)
  if (isNegative(b)) negateWord(b, b)
}

export function addModulo(a: usize, b: usize, modulus: usize): void {
  if (isZero(modulus)) return
  const carry = addWords(LEFT, a, b)
  // Field arithmetic adds reduced numbers: their sum exceeds the modulus at most once.
  if (isLess(a, modulus) && isLess(b, modulus)) {
    if (carry !== 0 || !isLess(LEFT, modulus)) subtractWords(modulus, LEFT, modulus)
    else copyWord(modulus, LEFT)
    return
  }
  store<u64>(LEFT, carry, 32)
  divide(LEFT, 5, modulus)
  copyWord(modulus, REMAINDER)
}

export function multiplyModulo(a: usize, b: usize, modulus: usize): void {
  if (isZero(modulus)) return
  multiplyFull(LEFT, a, b)
  if (load<u64>(modulus, 24) === 0 || !remainderOfEightByFour(LEFT, modulus)) divide(LEFT, 8, modulus)
  copyWord(modulus, REMAINDER)
}

/** Bytes of the exponent, on which the gas of EXP depends. */
export function byteLength(word: usize): u64 {
  for (let limb: usize = 4; limb > 0; limb--) {
    const value = load<u64>(word + ((limb - 1) << 3))
    if (value !== 0) return (limb << 3) - (clz<u64>(value) >> 3)
  }
  return 0
}

export function power(base: usize, exponent: usize): void {
  copyWord(LEFT, base)
  copyWord(RIGHT, exponent)
  setWord(exponent, 1)
  const bits = byteLength(RIGHT) << 3
  for (let bit: u64 = 0; bit < bits; bit++) {
    const limb = load<u64>(RIGHT + <usize>((bit >> 6) << 3))
    if (((limb >> (bit & 63)) & 1) !== 0) multiplyWords(exponent, exponent, LEFT)
    multiplyWords(LEFT, LEFT, LEFT)
  }
}

/** `size`: index of the byte with the sign bit, from the lowest. */
export function extendSign(size: usize, word: usize): void {
  if ((load<u64>(size, 8) | load<u64>(size, 16) | load<u64>(size, 24)) !== 0 || load<u64>(size) > 30) return
  const position = <usize>load<u64>(size)
  const fill = load<u8>(word + position) > 0x7f ? 0xff : 0
  memory.fill(word + position + 1, <u8>fill, 31 - position)
}

export function add(a: usize, b: usize): void {
  addWords(b, a, b)
}

export function subtract(a: usize, b: usize): void {
  subtractWords(b, a, b)
}

export function multiply(a: usize, b: usize): void {
  multiplyWords(b, a, b)
}
