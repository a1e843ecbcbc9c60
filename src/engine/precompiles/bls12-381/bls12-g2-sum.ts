import type { Bytes } from '../../../primitives/hex.ts'
import { bytesToBigint } from '../../../primitives/quantity.ts'
import { G2_SIZE, type MclCurve, MSM_CHUNK } from '../curves/mcl-curve.ts'
import { applyBls12Psi, BLS12_X } from './bls12-subgroup.ts'

const ORDER = 0x73eda753299d7d483339d80809a1d80553bda402fffe5bfeffffffff00000001n
/** A scalar below the order has four digits in base |x|, since the order is x^4 - x^2 + 1. */
const DIGITS = 4
const DIGIT_BITS = 64
/** Window size in bits by minimum number of points. Digits are signed, which halves the number of buckets. */
const WINDOWS = [
  { from: 160, bits: 7 },
  { from: 48, bits: 6 },
  { from: 0, bits: 5 },
] as const
const MAX_BUCKETS = 64

interface Places {
  readonly terms: number
  readonly buckets: number
  readonly running: number
  readonly windowSum: number
}

let positions: Places | undefined

/**
 * Multi-scalar multiplication in G2: Pippenger's buckets over four points for each one, since ψ(P) = [x]P splits a
 * scalar of 255 bits into four of 64 (Galbraith, Lin and Scott, 2009). For many points it is faster than mcl's own,
 * which would be too slow for the gas of the largest inputs.
 *
 * @param count at most MSM_CHUNK affine points, contiguous
 * @param scalarAt 32 bytes, big-endian
 */
export function sumBls12G2(
  curve: MclCurve,
  result: number,
  points: number,
  count: number,
  scalarAt: (index: number) => Bytes,
): void {
  const { mcl } = curve
  positions ??= createPositions(curve)
  const { buckets, running, windowSum } = positions
  const { bits } = WINDOWS.find(({ from }) => count >= from)!
  const bucketCount = 1 << (bits - 1)
  const digits = decompose(curve, positions, points, count, bits, scalarAt)
  mcl.mclBnG2_clear(result)
  for (let window = windowCount(bits) - 1; window >= 0; window--) {
    for (let double = 0; double < bits; double++) mcl.mclBnG2_dbl(result, result)
    fillBuckets(curve, positions, digits, window, bucketCount)
    mcl.mclBnG2_clear(running)
    mcl.mclBnG2_clear(windowSum)
    for (let bucket = bucketCount - 1; bucket >= 0; bucket--) {
      mcl.mclBnG2_add(running, running, buckets + bucket * G2_SIZE)
      mcl.mclBnG2_add(windowSum, windowSum, running)
    }
    mcl.mclBnG2_add(result, result, windowSum)
  }
}

/** Writes the terms; returns the signed window digits of each, lowest first. */
function decompose(
  curve: MclCurve,
  { terms }: Places,
  points: number,
  count: number,
  bits: number,
  scalarAt: (index: number) => Bytes,
): readonly Int8Array[] {
  const { mcl } = curve
  const digits: Int8Array[] = []
  for (let index = 0; index < count; index++) {
    let scalar = bytesToBigint(scalarAt(index)) % ORDER
    for (let power = 0; power < DIGITS; power++) {
      const term = terms + digits.length * G2_SIZE
      if (power === 0) copyPoint(curve, term, points + index * G2_SIZE)
      else {
        // x is negative: -ψ(P) = [|x|]P.
        applyBls12Psi(curve, term, term - G2_SIZE)
        mcl.mclBnG2_neg(term, term)
      }
      digits.push(signedDigits(scalar % BLS12_X, bits))
      scalar /= BLS12_X
    }
  }
  return digits
}

/** A digit above half of the window's range borrows from the next, so there is one more bit at the end. */
function windowCount(bits: number): number {
  return Math.ceil((DIGIT_BITS + 1) / bits)
}

function signedDigits(value: bigint, bits: number): Int8Array {
  const digits = new Int8Array(windowCount(bits))
  let rest = value
  for (let window = 0; window < digits.length; window++) {
    const digit = Number(BigInt.asIntN(bits, rest))
    digits[window] = digit
    rest = (rest - BigInt(digit)) >> BigInt(bits)
  }
  return digits
}

function fillBuckets(
  curve: MclCurve,
  { terms, buckets }: Places,
  digits: readonly Int8Array[],
  window: number,
  bucketCount: number,
): void {
  const { mcl } = curve
  for (let bucket = 0; bucket < bucketCount; bucket++) mcl.mclBnG2_clear(buckets + bucket * G2_SIZE)
  for (const [index, windows] of digits.entries()) {
    const digit = windows[window]!
    const term = terms + index * G2_SIZE
    const bucket = buckets + (Math.abs(digit) - 1) * G2_SIZE
    if (digit > 0) mcl.mclBnG2_add(bucket, bucket, term)
    else if (digit < 0) mcl.mclBnG2_sub(bucket, bucket, term)
  }
}

function copyPoint({ mcl }: MclCurve, target: number, source: number): void {
  new Uint8Array(mcl.memory.buffer).copyWithin(target, source, source + G2_SIZE)
}

function createPositions({ mcl }: MclCurve): Places {
  return {
    terms: mcl.malloc(DIGITS * MSM_CHUNK * G2_SIZE),
    buckets: mcl.malloc(MAX_BUCKETS * G2_SIZE),
    running: mcl.malloc(G2_SIZE),
    windowSum: mcl.malloc(G2_SIZE),
  }
}
