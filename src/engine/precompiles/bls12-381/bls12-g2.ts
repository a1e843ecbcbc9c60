import type { Bytes } from '../../../primitives/hex.ts'
import type { Precompile } from '../../precompile.ts'
import { bls12Curve, decodeScalar, G2_SIZE, type MclCurve, MSM_CHUNK, SCALAR_SIZE } from '../curves/mcl-curve.ts'
import { sumBls12G2 } from './bls12-g2-sum.ts'
import { g2MsmGas } from './bls12-msm-gas.ts'
import { decodeFps, decodeG2, encodeG2, FP2_BYTES, G2_BYTES } from './bls12-points.ts'
import { isInBls12G2 } from './bls12-subgroup.ts'

const PAIR_BYTES = G2_BYTES + 32
/** From this number of points on, buckets are faster than mcl. */
const BUCKETS_FROM = 32

/** 0x0d (EIP-2537): the sum of two points of the twist, in the group or not. */
export const bls12G2Add: Precompile = {
  gas: () => 600n,
  run(input) {
    if (input.length !== 2 * G2_BYTES) return undefined
    const curve = bls12Curve()
    const { mcl, g2, g2Result } = curve
    if (!decodeG2(curve, g2, input.subarray(0, G2_BYTES))) return undefined
    if (!decodeG2(curve, g2 + G2_SIZE, input.subarray(G2_BYTES))) return undefined
    mcl.mclBnG2_add(g2Result, g2, g2 + G2_SIZE)
    return encodeG2(curve, g2Result)
  },
}

/** 0x0e (EIP-2537): multi-scalar multiplication in G2. */
export const bls12G2Msm: Precompile = {
  gas: (input) => g2MsmGas(Math.floor(input.length / PAIR_BYTES)),
  run(input) {
    if (input.length === 0 || input.length % PAIR_BYTES !== 0) return undefined
    const curve = bls12Curve()
    const { mcl, g2Result, g2Sum } = curve
    mcl.mclBnG2_clear(g2Sum)
    for (let offset = 0; offset < input.length; offset += MSM_CHUNK * PAIR_BYTES) {
      if (!multiplyChunk(curve, input.subarray(offset, offset + MSM_CHUNK * PAIR_BYTES))) return undefined
      mcl.mclBnG2_add(g2Sum, g2Sum, g2Result)
    }
    return encodeG2(curve, g2Sum)
  },
}

/** 0x11 (EIP-2537): maps an element of the quadratic extension to a point of G2. */
export const bls12MapFp2ToG2: Precompile = {
  gas: () => 23_800n,
  run(input) {
    const curve = bls12Curve()
    const { mcl, g2, g2Result } = curve
    if (input.length !== FP2_BYTES || !decodeFps(curve, g2, input)) return undefined
    mcl.mclBnFp2_mapToG2(g2Result, g2)
    return encodeG2(curve, g2Result)
  },
}

function multiplyChunk(curve: MclCurve, input: Bytes): boolean {
  const { mcl, g2, scalars, g2Result } = curve
  const count = input.length / PAIR_BYTES
  const scalarAt = (index: number) => input.subarray(index * PAIR_BYTES + G2_BYTES, (index + 1) * PAIR_BYTES)
  for (let index = 0; index < count; index++) {
    const point = g2 + index * G2_SIZE
    if (!decodeG2(curve, point, input.subarray(index * PAIR_BYTES, index * PAIR_BYTES + G2_BYTES))) return false
    if (mcl.mclBnG2_isZero(point) === 0 && !isInBls12G2(curve, point)) return false
  }
  if (count >= BUCKETS_FROM) {
    sumBls12G2(curve, g2Result, g2, count, scalarAt)
    return true
  }
  for (let index = 0; index < count; index++) decodeScalar(curve, scalars + index * SCALAR_SIZE, scalarAt(index))
  mcl.mclBnG2_mulVec(g2Result, g2, scalars, count)
  return true
}
