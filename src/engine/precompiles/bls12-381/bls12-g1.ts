import type { Bytes } from '../../../primitives/hex.ts'
import type { Precompile } from '../../precompile.ts'
import { bls12Curve, decodeScalar, G1_SIZE, type MclCurve, SCALAR_SIZE } from '../curves/mcl-curve.ts'
import { g1MsmGas } from './bls12-msm-gas.ts'
import { decodeFp, decodeG1, encodeG1, FP_BYTES, G1_BYTES } from './bls12-points.ts'
import { isInBls12G1 } from './bls12-subgroup.ts'

const PAIR_BYTES = G1_BYTES + 32
/** Points per call of mcl's multi-scalar multiplication; larger calls take longer per point. At most MSM_CHUNK. */
const G1_CHUNK = 16

/** 0x0b (EIP-2537): the sum of two points of the curve, in the group or not. */
export const bls12G1Add: Precompile = {
  gas: () => 375n,
  run(input) {
    if (input.length !== 2 * G1_BYTES) return undefined
    const curve = bls12Curve()
    const { mcl, g1, g1Result } = curve
    if (!decodeG1(curve, g1, input.subarray(0, G1_BYTES))) return undefined
    if (!decodeG1(curve, g1 + G1_SIZE, input.subarray(G1_BYTES))) return undefined
    mcl.mclBnG1_add(g1Result, g1, g1 + G1_SIZE)
    return encodeG1(curve, g1Result)
  },
}

/** 0x0c (EIP-2537): multi-scalar multiplication in G1. */
export const bls12G1Msm: Precompile = {
  gas: (input) => g1MsmGas(Math.floor(input.length / PAIR_BYTES)),
  run(input) {
    if (input.length === 0 || input.length % PAIR_BYTES !== 0) return undefined
    const curve = bls12Curve()
    const { mcl, g1Result, g1Sum } = curve
    mcl.mclBnG1_clear(g1Sum)
    for (let offset = 0; offset < input.length; offset += G1_CHUNK * PAIR_BYTES) {
      if (!multiplyChunk(curve, input.subarray(offset, offset + G1_CHUNK * PAIR_BYTES))) return undefined
      mcl.mclBnG1_add(g1Sum, g1Sum, g1Result)
    }
    return encodeG1(curve, g1Sum)
  },
}

/** 0x10 (EIP-2537): maps a field element to a point of G1. */
export const bls12MapFpToG1: Precompile = {
  gas: () => 5_500n,
  run(input) {
    const curve = bls12Curve()
    const { mcl, g1, g1Result } = curve
    if (input.length !== FP_BYTES || !decodeFp(curve, g1, input)) return undefined
    mcl.mclBnFp_mapToG1(g1Result, g1)
    return encodeG1(curve, g1Result)
  },
}

function multiplyChunk(curve: MclCurve, input: Bytes): boolean {
  const { mcl, g1, scalars, g1Result } = curve
  const count = input.length / PAIR_BYTES
  for (let index = 0; index < count; index++) {
    const pair = input.subarray(index * PAIR_BYTES, (index + 1) * PAIR_BYTES)
    const point = g1 + index * G1_SIZE
    if (!decodeG1(curve, point, pair.subarray(0, G1_BYTES))) return false
    if (mcl.mclBnG1_isZero(point) === 0 && !isInBls12G1(curve, point)) return false
    decodeScalar(curve, scalars + index * SCALAR_SIZE, pair.subarray(G1_BYTES))
  }
  mcl.mclBnG1_mulVec(g1Result, g1, scalars, count)
  return true
}
