import type { Fork } from '../../../chain/forks/forks.ts'
import { rulesOf } from '../../../chain/forks/rules.ts'
import type { Bytes } from '../../../primitives/hex.ts'
import { isZeroBytes, type Precompile, paddedSlice } from '../../precompile.ts'
import {
  bn254Curve,
  decodeField,
  decodeScalar,
  encodeField,
  FIELD_SIZE,
  G1_SIZE,
  type MclCurve,
} from '../curves/mcl-curve.ts'

const POINT_SIZE = 64

/** 0x06 (EIP-196, gas by EIP-1108): the sum of two points. */
export const bn254Add: Precompile = {
  gas: (_, fork) => (rulesOf(fork).hasCheaperBn254 ? 150n : 500n),
  run(input) {
    const curve = bn254Curve()
    const { mcl, g1, g1Result } = curve
    if (!decodeBn254G1(curve, g1, paddedSlice(input, 0, POINT_SIZE))) return undefined
    if (!decodeBn254G1(curve, g1 + G1_SIZE, paddedSlice(input, POINT_SIZE, POINT_SIZE))) return undefined
    mcl.mclBnG1_add(g1Result, g1, g1 + G1_SIZE)
    return encodeBn254G1(curve, g1Result)
  },
}

/** 0x07 (EIP-196, gas by EIP-1108): a point times a scalar. */
export const bn254Mul: Precompile = {
  gas: (_: Bytes, fork: Fork) => (rulesOf(fork).hasCheaperBn254 ? 6_000n : 40_000n),
  run(input) {
    const curve = bn254Curve()
    const { mcl, g1, scalars, g1Result } = curve
    if (!decodeBn254G1(curve, g1, paddedSlice(input, 0, POINT_SIZE))) return undefined
    decodeScalar(curve, scalars, paddedSlice(input, POINT_SIZE, 32))
    mcl.mclBnG1_mul(g1Result, g1, scalars)
    return encodeBn254G1(curve, g1Result)
  },
}

/** False unless it is a point of the curve, all of which are in the group; zeros encode infinity. */
export function decodeBn254G1(curve: MclCurve, target: number, bytes: Bytes): boolean {
  const { mcl } = curve
  if (isZeroBytes(bytes)) {
    mcl.mclBnG1_clear(target)
    return true
  }
  if (!decodeField(curve, target, bytes.subarray(0, 32))) return false
  if (!decodeField(curve, target + FIELD_SIZE, bytes.subarray(32))) return false
  mcl.mclBnFp_setInt32(target + 2 * FIELD_SIZE, 1)
  return mcl.mclBnG1_isValid(target) !== 0
}

function encodeBn254G1(curve: MclCurve, point: number): Bytes {
  const output = new Uint8Array(POINT_SIZE)
  if (curve.mcl.mclBnG1_isZero(point) !== 0) return output
  curve.mcl.mclBnG1_normalize(point, point)
  encodeField(curve, point, output, 32)
  encodeField(curve, point + FIELD_SIZE, output, POINT_SIZE)
  return output
}
