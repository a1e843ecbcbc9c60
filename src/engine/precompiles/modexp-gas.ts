import type { Fork } from '../../chain/forks/forks.ts'
import { rulesOf } from '../../chain/forks/rules.ts'
import type { Bytes } from '../../primitives/hex.ts'
import { bytesToBigint } from '../../primitives/quantity.ts'
import { paddedSlice } from '../precompile.ts'

/** The three lengths at the start of the input, in bytes. Any words: only gas bounds them before Osaka. */
export interface ModexpLengths {
  readonly base: bigint
  readonly exponent: bigint
  readonly modulus: bigint
}

export const HEADER_SIZE = 96

const WORD_SIZE = 32

export function modexpLengths(input: Bytes): ModexpLengths {
  const header = paddedSlice(input, 0, HEADER_SIZE)
  return {
    base: lengthAt(header, 0),
    exponent: lengthAt(header, WORD_SIZE),
    modulus: lengthAt(header, 2 * WORD_SIZE),
  }
}

/** Fast path: nearly every length fits four bytes. */
function lengthAt(header: Bytes, offset: number): bigint {
  const low = offset + WORD_SIZE - 4
  for (let at = offset; at < low; at++) {
    if (header[at] !== 0) return bytesToBigint(header.subarray(offset, offset + WORD_SIZE))
  }
  return BigInt(((header[low]! << 24) | (header[low + 1]! << 16) | (header[low + 2]! << 8) | header[low + 3]!) >>> 0)
}

/** EIP-198 from Byzantium, EIP-2565 from Berlin, EIP-7883 from Osaka on. */
export function modexpGas(input: Bytes, fork: Fork): bigint {
  const lengths = modexpLengths(input)
  const size = lengths.base > lengths.modulus ? lengths.base : lengths.modulus
  const bits = exponentHeadBits(input, lengths)
  if (rulesOf(fork).hasBoundedModexp) {
    const words = (size + 7n) / 8n
    const complexity = size <= 32n ? 16n : 2n * words * words
    return atLeast(500n, complexity * iterations(lengths.exponent, bits, 16n))
  }
  if (rulesOf(fork).hasCheaperModexp) {
    const words = (size + 7n) / 8n
    return atLeast(200n, (words * words * iterations(lengths.exponent, bits, 8n)) / 3n)
  }
  return (originalComplexity(size) * iterations(lengths.exponent, bits, 8n)) / 20n
}

/** Number of bits below the highest set bit in the first 32 bytes of the exponent. */
function exponentHeadBits(input: Bytes, { base, exponent }: ModexpLengths): number {
  const offset = BigInt(HEADER_SIZE) + base
  if (offset >= BigInt(input.length)) return 0
  const size = exponent < 32n ? Number(exponent) : 32
  const head = paddedSlice(input, Number(offset), size)
  for (let at = 0; at < size; at++) {
    if (head[at] !== 0) return 8 * (size - at) - Math.clz32(head[at]! << 24) - 1
  }
  return 0
}

/** Iteration count of the exponent; a byte behind its head counts as `perByte` bits. */
function iterations(length: bigint, headBits: number, perByte: bigint): bigint {
  return atLeast(1n, (length > 32n ? perByte * (length - 32n) : 0n) + BigInt(headBits))
}

/** EIP-198: cost of a Karatsuba multiplication, piecewise. */
function originalComplexity(size: bigint): bigint {
  if (size <= 64n) return size * size
  if (size <= 1024n) return (size * size) / 4n + 96n * size - 3_072n
  return (size * size) / 16n + 480n * size - 199_680n
}

function atLeast(minimum: bigint, value: bigint): bigint {
  return value > minimum ? value : minimum
}
