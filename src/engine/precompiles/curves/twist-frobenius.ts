import { decodeField, FIELD_SIZE, G2_SIZE, type MclCurve } from './mcl-curve.ts'

const FP2_SIZE = 2 * FIELD_SIZE

/** An element of the quadratic extension. */
export type Fp2 = readonly [real: bigint, imaginary: bigint]

/** Addresses of the constants that turn the Frobenius map into the endomorphism ψ of the twist. */
export interface TwistFrobenius {
  readonly x: number
  readonly y: number
}

export function createTwistFrobenius(curve: MclCurve, x: Fp2, y: Fp2): TwistFrobenius {
  return { x: constant(curve, x), y: constant(curve, y) }
}

/** target = ψ(point): the conjugates of all coordinates, two of them times a constant. In-place is allowed. */
export function applyTwistFrobenius({ mcl }: MclCurve, psi: TwistFrobenius, target: number, point: number): void {
  if (target !== point) new Uint8Array(mcl.memory.buffer).copyWithin(target, point, point + G2_SIZE)
  for (const imaginary of [1, 3, 5]) mcl.mclBnFp_neg(target + imaginary * FIELD_SIZE, target + imaginary * FIELD_SIZE)
  mcl.mclBnFp2_mul(target, target, psi.x)
  mcl.mclBnFp2_mul(target + FP2_SIZE, target + FP2_SIZE, psi.y)
}

function constant(curve: MclCurve, [real, imaginary]: Fp2): number {
  const at = curve.mcl.malloc(FP2_SIZE)
  decodeField(curve, at, fieldBytes(curve, real))
  decodeField(curve, at + FIELD_SIZE, fieldBytes(curve, imaginary))
  return at
}

function fieldBytes(curve: MclCurve, value: bigint): Buffer {
  return Buffer.from(value.toString(16).padStart(2 * curve.fieldBytes, '0'), 'hex')
}
