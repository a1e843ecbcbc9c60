import { G1_SIZE, G2_SIZE, type MclCurve, PAIRING_CHUNK } from './mcl-curve.ts'

/** Deserializes pair `index` of the input to the addresses; false when it is malformed. */
export type PairDecoder = (index: number, g1: number, g2: number) => boolean

/**
 * Whether the product of the pairings of `count` pairs is one; undefined when a pair is malformed. A pair with a point
 * at infinity contributes one. The pairing is non-degenerate: a single remaining pair is never one, which avoids the
 * most expensive input for its gas.
 */
export function isPairingProductOne(curve: MclCurve, count: number, decode: PairDecoder): boolean | undefined {
  const { mcl, g1, g2, gtResult, gtProduct } = curve
  let waiting = 0
  let multiplied = false
  let pairs = 0
  for (let index = 0; index < count; index++) {
    const p = g1 + waiting * G1_SIZE
    const q = g2 + waiting * G2_SIZE
    if (!decode(index, p, q)) return undefined
    if (mcl.mclBnG1_isZero(p) !== 0 || mcl.mclBnG2_isZero(q) !== 0) continue
    waiting++
    pairs++
    if (waiting === PAIRING_CHUNK) {
      multiply()
      waiting = 0
    }
  }
  if (pairs < 2) return pairs === 0
  if (waiting > 0) multiply()
  mcl.mclBn_finalExp(gtResult, gtProduct)
  return mcl.mclBnGT_isOne(gtResult) !== 0

  function multiply(): void {
    mcl.mclBn_millerLoopVec(multiplied ? gtResult : gtProduct, g1, g2, waiting)
    if (multiplied) mcl.mclBnGT_mul(gtProduct, gtProduct, gtResult)
    multiplied = true
  }
}
