import type { Bytes } from '../../../primitives/hex.ts'
import { isZeroBytes } from '../../precompile.ts'
import { decodeField, encodeField, FIELD_SIZE, type MclCurve } from '../curves/mcl-curve.ts'

/** EIP-2537: a field element is 64 bytes, the first 16 of them zero. */
export const FP_BYTES = 64
export const FP2_BYTES = 128
export const G1_BYTES = 128
export const G2_BYTES = 256

const PADDING = 16

/** False unless it is zero-padded and below the modulus. */
export function decodeFp(curve: MclCurve, target: number, bytes: Bytes): boolean {
  return isZeroBytes(bytes.subarray(0, PADDING)) && decodeField(curve, target, bytes.subarray(PADDING, FP_BYTES))
}

/** Contiguous elements: a coordinate or both. */
export function decodeFps(curve: MclCurve, target: number, bytes: Bytes): boolean {
  for (let index = 0; index * FP_BYTES < bytes.length; index++) {
    const element = bytes.subarray(index * FP_BYTES, (index + 1) * FP_BYTES)
    if (!decodeFp(curve, target + index * FIELD_SIZE, element)) return false
  }
  return true
}

/** False unless it is a point of the curve, of any order; zeros encode infinity. */
export function decodeG1(curve: MclCurve, target: number, bytes: Bytes): boolean {
  const { mcl } = curve
  if (isZeroBytes(bytes)) {
    mcl.mclBnG1_clear(target)
    return true
  }
  if (!decodeFps(curve, target, bytes)) return false
  mcl.mclBnFp_setInt32(target + 2 * FIELD_SIZE, 1)
  return mcl.mclBnG1_isValid(target) !== 0
}

/** False unless it is a point of the twist, of any order; zeros encode infinity. */
export function decodeG2(curve: MclCurve, target: number, bytes: Bytes): boolean {
  const { mcl } = curve
  if (isZeroBytes(bytes)) {
    mcl.mclBnG2_clear(target)
    return true
  }
  if (!decodeFps(curve, target, bytes)) return false
  mcl.mclBnFp_setInt32(target + 4 * FIELD_SIZE, 1)
  mcl.mclBnFp_setInt32(target + 5 * FIELD_SIZE, 0)
  return mcl.mclBnG2_isValid(target) !== 0
}

export function encodeG1(curve: MclCurve, point: number): Bytes {
  const output = new Uint8Array(G1_BYTES)
  if (curve.mcl.mclBnG1_isZero(point) !== 0) return output
  curve.mcl.mclBnG1_normalize(point, point)
  encodeFps(curve, point, output)
  return output
}

export function encodeG2(curve: MclCurve, point: number): Bytes {
  const output = new Uint8Array(G2_BYTES)
  if (curve.mcl.mclBnG2_isZero(point) !== 0) return output
  curve.mcl.mclBnG2_normalize(point, point)
  encodeFps(curve, point, output)
  return output
}

function encodeFps(curve: MclCurve, source: number, output: Bytes): void {
  for (let index = 0; index * FP_BYTES < output.length; index++) {
    encodeField(curve, source + index * FIELD_SIZE, output, (index + 1) * FP_BYTES)
  }
}
