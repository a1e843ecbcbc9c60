// Entry file of the module that `precompiles/modexp.ts` loads. The host writes numbers as little-endian 32-bit limbs
// and the exponent big-endian, and calls.
import { LIMBS, montgomeryMultiply, negativeInverse } from './montgomery.ts'
import { multiplyWord, negativeInverseWord } from './montgomery-word.ts'
import { exponentBit, windowEnd, windowSize } from './windows.ts'
import { wordPower } from './word-power.ts'

/** Longest supported modulus in bytes; the host handles longer ones. */
export const MAX_SIZE: usize = LIMBS * 4
export const MODULUS: usize = memory.data(256, 8)
/** The base; for an odd modulus in Montgomery form. */
export const BASE: usize = memory.data(256, 8)
/** Result buffer. */
export const RESULT: usize = memory.data(256, 8)

const SQUARE: usize = memory.data(256, 8)
const PRODUCT: usize = memory.data(264, 8)
/** base, base^3, base^5 ... base^63: table for windows of up to six bits. */
const ODD_POWERS: usize = memory.data(8192, 8)

let isOdd = true
let limbs: usize = 0
let bytes: usize = 0
let inverse: u32 = 0

/** Address for an exponent of `size` bytes: behind all other data, since its length is unlimited before EIP-7823. */
export function exponentBuffer(size: usize): usize {
  const end = __heap_base + size
  const pages = <i32>((end + 0xffff) >>> 16)
  if (pages > memory.size()) memory.grow(pages - memory.size())
  return __heap_base
}

/** RESULT = BASE ^ exponent for an odd modulus of up to 64 bits; the base in Montgomery form. */
export function powerWord(exponentSize: usize): void {
  const modulus = load<u64>(MODULUS)
  const inverse = negativeInverseWord(modulus)
  const result = wordPower(load<u64>(BASE), exponentSize << 3, modulus, inverse)
  store<u64>(RESULT, multiplyWord(result, 1, modulus, inverse))
}

/** RESULT = BASE ^ exponent for an odd modulus of `count` limbs; the base in Montgomery form. */
export function powerOdd(count: usize, exponentSize: usize): void {
  isOdd = true
  limbs = count
  bytes = count << 2
  inverse = negativeInverse(load<u32>(MODULUS))
  power(exponentSize)
  memory.fill(SQUARE, 0, bytes)
  store<u32>(SQUARE, 1)
  multiply(RESULT, SQUARE)
}

/** RESULT = BASE ^ exponent modulo 2 ^ 64. */
export function powerOfTwoWord(exponentSize: usize): void {
  store<u64>(RESULT, wordPower(load<u64>(BASE), exponentSize << 3, 0, 0))
}

/** RESULT = BASE ^ exponent modulo 2 ^ (32 * count). */
export function powerOfTwo(count: usize, exponentSize: usize): void {
  isOdd = false
  limbs = count
  bytes = count << 2
  power(exponentSize)
}

/** Left to right with a sliding window; the exponent is not zero. */
function power(exponentSize: usize): void {
  const bits = exponentSize << 3
  const window = windowSize(bits)
  tabulate(window)
  let started = false
  for (let position: usize = 0; position < bits; ) {
    if (!exponentBit(position)) {
      if (started) multiply(RESULT, RESULT)
      position++
      continue
    }
    const end = windowEnd(position, bits, window)
    let value: usize = 0
    for (let at = position; at < end; at++) {
      value = (value << 1) | <usize>exponentBit(at)
      if (started) multiply(RESULT, RESULT)
    }
    const odd = ODD_POWERS + (value >>> 1) * bytes
    if (started) multiply(RESULT, odd)
    else memory.copy(RESULT, odd, bytes)
    started = true
    position = end
  }
}

function tabulate(window: usize): void {
  memory.copy(ODD_POWERS, BASE, bytes)
  memory.copy(SQUARE, BASE, bytes)
  multiply(SQUARE, SQUARE)
  const count: usize = 1 << (window - 1)
  for (let index: usize = 1; index < count; index++) {
    const entry = ODD_POWERS + index * bytes
    memory.copy(entry, entry - bytes, bytes)
    multiply(entry, SQUARE)
  }
}

/** a = a * b for the current modulus. */
function multiply(a: usize, b: usize): void {
  if (isOdd) montgomeryMultiply(a, b, PRODUCT, MODULUS, limbs, inverse)
  else multiplyTruncated(a, b, PRODUCT, limbs)
}

/** a = a * b modulo 2^(32 * limbs): the lower half of the product; `target` is scratch space. */
function multiplyTruncated(a: usize, b: usize, target: usize, limbs: usize): void {
  const size = limbs << 2
  for (let i: usize = 0; i < size; i += 4) store<u32>(target + i, 0)
  for (let i: usize = 0; i < size; i += 4) {
    const factor: u64 = load<u32>(a + i)
    let carry: u64 = 0
    for (let j: usize = 0; i + j < size; j += 4) {
      const sum = <u64>load<u32>(target + i + j) + factor * <u64>load<u32>(b + j) + carry
      store<u32>(target + i + j, <u32>sum)
      carry = sum >>> 32
    }
  }
  for (let i: usize = 0; i < size; i += 4) store<u32>(a + i, load<u32>(target + i))
}
