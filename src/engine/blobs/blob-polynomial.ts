import type { Bytes } from '../../primitives/hex.ts'
import { bytesToBigint } from '../../primitives/quantity.ts'
import { BLS12_ORDER } from '../precompiles/bls12-381/bls12-compressed.ts'

/** EIP-4844 */
export const FIELD_ELEMENTS_PER_BLOB = 4096
const FIELD_ELEMENT_BYTES = 32
/** Generator of the multiplicative group of the field. */
const GENERATOR = 7n

/**
 * Coefficients, lowest first, of the polynomial whose evaluations at the roots of unity, in bit-reversed order, are the
 * blob (EIP-4844).
 *
 * @returns undefined when a value is not below the modulus
 */
export function blobCoefficients(blob: Bytes): readonly bigint[] | undefined {
  const values: bigint[] = []
  for (let offset = 0; offset < blob.length; offset += FIELD_ELEMENT_BYTES) {
    const value = bytesToBigint(blob.subarray(offset, offset + FIELD_ELEMENT_BYTES))
    if (value >= BLS12_ORDER) return undefined
    values.push(value)
  }
  return values.some((value) => value !== 0n) ? interpolate(values) : values
}

/** Evaluates a polynomial. */
export function evaluate(coefficients: readonly bigint[], at: bigint): bigint {
  return coefficients.reduceRight((value, coefficient) => (value * at + coefficient) % BLS12_ORDER, 0n)
}

/** A primitive root of unity. @param count a power of two */
export function rootOfUnity(count: number): bigint {
  return power(GENERATOR, (BLS12_ORDER - 1n) / BigInt(count))
}

/** The lowest `bits` bits of a number, reversed. */
export function reverseBits(value: number, bits: number): number {
  let reversed = 0
  for (let bit = 0; bit < bits; bit++) reversed = (reversed << 1) | ((value >>> bit) & 1)
  return reversed
}

/** Inverse number-theoretic transform of values in bit-reversed order (Cooley-Tukey, in place). */
function interpolate(values: bigint[]): readonly bigint[] {
  const count = values.length
  const inverseRoot = inverse(rootOfUnity(count))
  const powers = [1n]
  for (let index = 1; index < count / 2; index++) powers.push((powers[index - 1]! * inverseRoot) % BLS12_ORDER)
  for (let half = 1; half < count; half *= 2) {
    const stride = count / (2 * half)
    for (let start = 0; start < count; start += 2 * half) {
      for (let index = 0; index < half; index++) {
        const low = values[start + index]!
        const high = (values[start + index + half]! * powers[index * stride]!) % BLS12_ORDER
        values[start + index] = (low + high) % BLS12_ORDER
        values[start + index + half] = (low - high + BLS12_ORDER) % BLS12_ORDER
      }
    }
  }
  const scale = inverse(BigInt(count))
  return values.map((value) => (value * scale) % BLS12_ORDER)
}

/** By Fermat's little theorem. */
function inverse(value: bigint): bigint {
  return power(value, BLS12_ORDER - 2n)
}

function power(base: bigint, exponent: bigint): bigint {
  let result = 1n
  let square = base % BLS12_ORDER
  for (let rest = exponent; rest > 0n; rest >>= 1n) {
    if ((rest & 1n) === 1n) result = (result * square) % BLS12_ORDER
    square = (square * square) % BLS12_ORDER
  }
  return result
}
