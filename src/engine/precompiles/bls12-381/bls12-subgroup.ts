import { bigintToBytes } from '../../../primitives/quantity.ts'
import { decodeField, FIELD_SIZE, G1_SIZE, G2_SIZE, type MclCurve } from '../curves/mcl-curve.ts'
import { applyTwistFrobenius, createTwistFrobenius, type TwistFrobenius } from '../curves/twist-frobenius.ts'

/** Absolute value of the curve parameter x, which is negative. */
export const BLS12_X = 0xd201000000010000n

const X_BITS = BLS12_X.toString(2).slice(1)
/** A cube root of one: (x, y) -> (BETA·x, y) is the endomorphism φ, which multiplies points of the group by -x². */
const BETA = 0x5f19672fdf76ce51ba69c6076a0f77eaddb3a93be6f89688de17d813620a00022e01fffffffefffen
/** (1 + i) ^ -((p - 1) / 3) and (1 + i) ^ -((p - 1) / 2) */
const FROBENIUS_X = [
  0n,
  0x1a0111ea397fe699ec02408663d4de85aa0d857d89759ad4897d29650fb85f9b409427eb4f49fffd8bfd00000000aaadn,
] as const
const FROBENIUS_Y = [
  0x135203e60180a68ee2e9c448d77a2cd91c3dedd930b1cf60ef396489f61eb45e304466cf3e67fa0af1ee7b04121bdea2n,
  0x06af0e0437ff400b6831e36d6bd17ffe48395dabc2d3435e77f76e17009241c5ee67992f72ec05f4c81084fbede3cc09n,
] as const

interface Places {
  readonly beta: number
  readonly g1Multiple: number
  readonly g1Square: number
  readonly g1Image: number
  readonly psi: TwistFrobenius
  readonly g2Multiple: number
  readonly g2Image: number
}

let positions: Places | undefined

/**
 * Subgroup check in G1: P is in the group if and only if φ(P) = -[x²]P (Scott, "A note on group membership tests for
 * G1, G2 and GT on BLS pairing-friendly curves", 2021). Faster than mcl's check, which would dominate a multi-scalar
 * multiplication.
 */
export function isInBls12G1(curve: MclCurve, point: number): boolean {
  const { mcl } = curve
  positions ??= createPositions(curve)
  const { beta, g1Multiple, g1Square, g1Image } = positions
  multiplyByX(mcl.mclBnG1_dbl, mcl.mclBnG1_add, g1Multiple, point)
  multiplyByX(mcl.mclBnG1_dbl, mcl.mclBnG1_add, g1Square, g1Multiple)
  mcl.mclBnG1_neg(g1Square, g1Square)
  new Uint8Array(mcl.memory.buffer).copyWithin(g1Image, point, point + G1_SIZE)
  mcl.mclBnFp_mul(g1Image, g1Image, beta)
  return mcl.mclBnG1_isEqual(g1Square, g1Image) !== 0
}

/** Subgroup check in G2: ψ(P) = [x]P (same paper). */
export function isInBls12G2(curve: MclCurve, point: number): boolean {
  const { mcl } = curve
  positions ??= createPositions(curve)
  const { psi, g2Multiple, g2Image } = positions
  multiplyByX(mcl.mclBnG2_dbl, mcl.mclBnG2_add, g2Multiple, point)
  mcl.mclBnG2_neg(g2Multiple, g2Multiple)
  applyTwistFrobenius(curve, psi, g2Image, point)
  return mcl.mclBnG2_isEqual(g2Multiple, g2Image) !== 0
}

/** target = ψ(point), which is [x]point in the group. */
export function applyBls12Psi(curve: MclCurve, target: number, point: number): void {
  positions ??= createPositions(curve)
  applyTwistFrobenius(curve, positions.psi, target, point)
}

type Double = (result: number, x: number) => void
type Add = (result: number, x: number, y: number) => void

/** Multiplies by |x|. */
function multiplyByX(double: Double, add: Add, target: number, point: number): void {
  double(target, point)
  for (let index = 0; index < X_BITS.length; index++) {
    if (index > 0) double(target, target)
    if (X_BITS[index] === '1') add(target, target, point)
  }
}

function createPositions(curve: MclCurve): Places {
  const { mcl } = curve
  const beta = mcl.malloc(FIELD_SIZE)
  const bytes = new Uint8Array(curve.fieldBytes)
  const significant = bigintToBytes(BETA)
  bytes.set(significant, bytes.length - significant.length)
  decodeField(curve, beta, bytes)
  return {
    beta,
    g1Multiple: mcl.malloc(G1_SIZE),
    g1Square: mcl.malloc(G1_SIZE),
    g1Image: mcl.malloc(G1_SIZE),
    psi: createTwistFrobenius(curve, FROBENIUS_X, FROBENIUS_Y),
    g2Multiple: mcl.malloc(G2_SIZE),
    g2Image: mcl.malloc(G2_SIZE),
  }
}
