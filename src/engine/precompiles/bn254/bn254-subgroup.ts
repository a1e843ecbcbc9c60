import { G2_SIZE, type MclCurve } from '../curves/mcl-curve.ts'
import { applyTwistFrobenius, createTwistFrobenius, type TwistFrobenius } from '../curves/twist-frobenius.ts'

/** Curve parameter x. */
const X = 4965661367192848881n
const X_BITS = X.toString(2).slice(1)

/** (9 + i) ^ ((p - 1) / 3) and (9 + i) ^ ((p - 1) / 2) */
const FROBENIUS_X = [
  0x2fb347984f7911f74c0bec3cf559b143b78cc310c2c3330c99e39557176f553dn,
  0x16c9e55061ebae204ba4cc8bd75a079432ae2a1d0b7c9dce1665d51c640fcba2n,
] as const
const FROBENIUS_Y = [
  0x063cf305489af5dcdc5ec698b6e2f9b9dbaae0eda9c95998dc54014671a0135an,
  0x07c03cbcac41049a0704b5a7ec796f2b21807dc98fa25bd282d37f632623b0e3n,
] as const

interface Places {
  readonly psi: TwistFrobenius
  readonly multiple: number
  readonly left: number
  readonly image: number
}

const placesOf = new WeakMap<MclCurve, Places>()

/**
 * Subgroup check in G2: Q is in the group if and only if [x+1]Q + ψ([x]Q) + ψ²([x]Q) = ψ³([2x]Q) (El Housni, Guillevic
 * and Piellard, "Co-factor clearing and subgroup membership testing on pairing-friendly curves", 2022). Takes a quarter
 * of mcl's check, which dominates the worst input of the pairing.
 */
export function isInBn254G2(curve: MclCurve, point: number): boolean {
  const { mcl } = curve
  const { psi, multiple, left, image } = preparePlaces(curve)
  multiplyByX(curve, multiple, point)
  mcl.mclBnG2_add(left, multiple, point)
  applyTwistFrobenius(curve, psi, image, multiple)
  mcl.mclBnG2_add(left, left, image)
  applyTwistFrobenius(curve, psi, image, image)
  mcl.mclBnG2_add(left, left, image)
  applyTwistFrobenius(curve, psi, image, image)
  mcl.mclBnG2_dbl(image, image)
  return mcl.mclBnG2_isEqual(left, image) !== 0
}

function multiplyByX({ mcl }: MclCurve, target: number, point: number): void {
  mcl.mclBnG2_dbl(target, point)
  for (const [index, bit] of [...X_BITS].entries()) {
    if (index > 0) mcl.mclBnG2_dbl(target, target)
    if (bit === '1') mcl.mclBnG2_add(target, target, point)
  }
}

function preparePlaces(curve: MclCurve): Places {
  const cached = placesOf.get(curve)
  if (cached !== undefined) return cached
  const { mcl } = curve
  const positions = {
    psi: createTwistFrobenius(curve, FROBENIUS_X, FROBENIUS_Y),
    multiple: mcl.malloc(G2_SIZE),
    left: mcl.malloc(G2_SIZE),
    image: mcl.malloc(G2_SIZE),
  }
  placesOf.set(curve, positions)
  return positions
}
