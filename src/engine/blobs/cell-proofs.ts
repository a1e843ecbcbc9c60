import { createHash } from 'node:crypto'
import { CELLS_PER_BLOB } from '../../chain/transaction/blob-sidecar.ts'
import { type Bytes, hexToBytes } from '../../primitives/hex.ts'
import { bigintToWord, bytesToBigint } from '../../primitives/quantity.ts'
import { BLS12_ORDER, decompressG1, decompressG2, precomputeLines } from '../precompiles/bls12-381/bls12-compressed.ts'
import { bls12Curve, decodeScalar, G1_SIZE, type MclCurve, SCALAR_SIZE } from '../precompiles/curves/mcl-curve.ts'
import { GENERATOR_G2 } from '../precompiles/point-evaluation.ts'
import { reverseBits, rootOfUnity } from './blob-polynomial.ts'
import { G1_MONOMIAL, G2_MONOMIAL_64 } from './trusted-setup.ts'

/** Field elements of a cell (EIP-7594). */
const CELL_SIZE = 64
const CELL_BITS = Math.log2(CELLS_PER_BLOB)
/** Points per call of mcl's multi-scalar multiplication. */
const CHUNK = 16

/**
 * Verifies the proofs of all cells of a blob (EIP-7594, `verify_cell_kzg_proof_batch` for the cells of one blob).
 *
 * A cell holds the values of the blob's polynomial p at 64 points x with x^64 = a, so that p - r, where r is p modulo
 * X^64 - a, is divisible by X^64 - a, and the proof commits to the quotient. All 128 claims are checked at once,
 * weighted by powers of a challenge derived from all inputs: e(sum of proofs, s^64·G2) must equal e(sum of commitment -
 * r + a·proof, G2). The cells are not needed: r follows from the coefficients.
 *
 * @param coefficients of the blob's polynomial, 4096
 * @param proofs 48 bytes each
 */
export function verifyCellProofs(
  coefficients: readonly bigint[],
  blob: Bytes,
  commitment: Bytes,
  proofs: readonly Bytes[],
): boolean {
  const curve = bls12Curve()
  const { mcl, g1Sum, gtResult } = curve
  const { setup, points, negatedG2Lines, secretG2Lines } = prepare(curve)
  const positions = proofs.map((_, index) => points + index * G1_SIZE)
  const commitmentOffset = points + CELLS_PER_BLOB * G1_SIZE
  const proofSum = commitmentOffset + G1_SIZE
  const otherSum = proofSum + G1_SIZE
  if (!decompressG1(curve, commitmentOffset, commitment)) return false
  if (!proofs.every((proof, index) => decompressG1(curve, positions[index]!, proof))) return false

  const weights = powersOf(challenge(blob, commitment, proofs), CELLS_PER_BLOB)
  const shifts = cosetPowers()
  sumProducts(curve, proofSum, positions, weights)
  const remainder = weightedRemainder(coefficients, weights, shifts)
  sumProducts(
    curve,
    otherSum,
    [commitmentOffset, ...setup, ...positions],
    [
      weights.reduce((sum, weight) => (sum + weight) % BLS12_ORDER, 0n),
      ...remainder.map((coefficient) => (coefficient === 0n ? 0n : BLS12_ORDER - coefficient)),
      ...weights.map((weight, index) => (weight * shifts[index]!) % BLS12_ORDER),
    ],
  )
  // The pairing is non-degenerate: if one sum is infinity, the other must be too.
  const isZero = mcl.mclBnG1_isZero(proofSum) !== 0
  if (isZero || mcl.mclBnG1_isZero(otherSum) !== 0) return isZero && mcl.mclBnG1_isZero(otherSum) !== 0
  mcl.mclBnG1_normalize(proofSum, proofSum)
  mcl.mclBnG1_normalize(g1Sum, otherSum)
  mcl.mclBn_precomputedMillerLoop2(gtResult, g1Sum, negatedG2Lines, proofSum, secretG2Lines)
  mcl.mclBn_finalExp(gtResult, gtResult)
  return mcl.mclBnGT_isOne(gtResult) !== 0
}

/** Fiat-Shamir challenge: false claims cannot be chosen to cancel out. */
function challenge(blob: Bytes, commitment: Bytes, proofs: readonly Bytes[]): bigint {
  const hash = createHash('sha256').update(blob).update(commitment)
  for (const proof of proofs) hash.update(proof)
  return bytesToBigint(hash.digest()) % BLS12_ORDER
}

/** The value of x^64 for each cell: the roots of unity of order 128, in bit-reversed order. */
function cosetPowers(): readonly bigint[] {
  const roots = powersOf(rootOfUnity(CELLS_PER_BLOB), CELLS_PER_BLOB)
  return roots.map((_, index) => roots[reverseBits(index, CELL_BITS)]!)
}

/** Coefficients of the sum over all cells of weight * (p modulo X^64 - a). */
function weightedRemainder(
  coefficients: readonly bigint[],
  weights: readonly bigint[],
  shifts: readonly bigint[],
): readonly bigint[] {
  const remainder = new Array<bigint>(CELL_SIZE).fill(0n)
  let factors = [...weights]
  for (let start = 0; start < coefficients.length; start += CELL_SIZE) {
    const factor = factors.reduce((sum, term) => sum + term, 0n) % BLS12_ORDER
    for (let index = 0; index < CELL_SIZE; index++) {
      remainder[index] = (remainder[index]! + coefficients[start + index]! * factor) % BLS12_ORDER
    }
    factors = factors.map((term, index) => (term * shifts[index]!) % BLS12_ORDER)
  }
  return remainder
}

function powersOf(base: bigint, count: number): readonly bigint[] {
  const powers = [1n]
  while (powers.length < count) powers.push((powers.at(-1)! * base) % BLS12_ORDER)
  return powers
}

/** Multi-scalar multiplication; points at infinity contribute nothing. */
function sumProducts(curve: MclCurve, target: number, points: readonly number[], factors: readonly bigint[]): void {
  const { mcl, g1, scalars, g1Result } = curve
  const terms = points
    .map((point, index) => ({ point, factor: factors[index]! }))
    .filter(({ point, factor }) => factor !== 0n && mcl.mclBnG1_isZero(point) === 0)
  mcl.mclBnG1_clear(target)
  for (let start = 0; start < terms.length; start += CHUNK) {
    const chunk = terms.slice(start, start + CHUNK)
    for (const [index, { point, factor }] of chunk.entries()) {
      new Uint8Array(mcl.memory.buffer).copyWithin(g1 + index * G1_SIZE, point, point + G1_SIZE)
      decodeScalar(curve, scalars + index * SCALAR_SIZE, bigintToWord(factor))
    }
    mcl.mclBnG1_mulVec(g1Result, g1, scalars, chunk.length)
    mcl.mclBnG1_add(target, target, g1Result)
  }
}

interface Prepared {
  /** Addresses of the 64 points of the trusted setup. */
  readonly setup: readonly number[]
  /** Space for the proofs, the commitment and two sums. */
  readonly points: number
  readonly negatedG2Lines: number
  readonly secretG2Lines: number
}

let prepared: Prepared | undefined

function prepare(curve: MclCurve): Prepared {
  prepared ??= createPrepared(curve)
  return prepared
}

function createPrepared(curve: MclCurve): Prepared {
  const { mcl, g2 } = curve
  const first = mcl.malloc(CELL_SIZE * G1_SIZE)
  const setup = G1_MONOMIAL.map((point, index) => {
    const position = first + index * G1_SIZE
    decompressG1(curve, position, hexToBytes(point))
    return position
  })
  const points = mcl.malloc((CELLS_PER_BLOB + 3) * G1_SIZE)
  decompressG2(curve, g2, hexToBytes(GENERATOR_G2))
  mcl.mclBnG2_neg(g2, g2)
  const negatedG2Lines = precomputeLines(curve, g2)
  decompressG2(curve, g2, hexToBytes(G2_MONOMIAL_64))
  return { setup, points, negatedG2Lines, secretG2Lines: precomputeLines(curve, g2) }
}
