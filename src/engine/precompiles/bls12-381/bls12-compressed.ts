import type { Bytes } from '../../../primitives/hex.ts'
import { isZeroBytes } from '../../precompile.ts'
import { type MclCurve, writeBuffer } from '../curves/mcl-curve.ts'
import { isInBls12G1 } from './bls12-subgroup.ts'

/** Order of the groups of BLS12-381, which is the modulus of blob field elements. */
export const BLS12_ORDER = 0x73eda753299d7d483339d80809a1d80553bda402fffe5bfeffffffff00000001n

const COMPRESSED_G1_SIZE = 48
const COMPRESSED = 0x80
const INFINITY = 0x40

/**
 * Decompresses a 48-byte point (IETF draft of BLS signatures) to an mcl address.
 *
 * @returns false unless it is a point of the group, which infinity is
 */
export function decompressG1(curve: MclCurve, target: number, bytes: Bytes): boolean {
  const { mcl, buffer } = curve
  const flags = bytes[0]!
  if ((flags & COMPRESSED) === 0) return false
  if ((flags & INFINITY) !== 0) {
    mcl.mclBnG1_clear(target)
    return flags === (COMPRESSED | INFINITY) && isZeroBytes(bytes.subarray(1))
  }
  writeBuffer(curve, bytes)
  if (mcl.mclBnG1_deserialize(target, buffer, COMPRESSED_G1_SIZE) !== COMPRESSED_G1_SIZE) return false
  return mcl.mclBnG1_isZero(target) === 0 && isInBls12G1(curve, target)
}

/** As above for a constant of 96 bytes that is known to be a point of the group. */
export function decompressG2(curve: MclCurve, target: number, bytes: Bytes): void {
  writeBuffer(curve, bytes)
  curve.mcl.mclBnG2_deserialize(target, curve.buffer, 2 * COMPRESSED_G1_SIZE)
}

/** Precomputed lines of Miller's loop for a constant point of G2. */
export function precomputeLines({ mcl }: MclCurve, point: number): number {
  const lines = mcl.malloc(8 * mcl.mclBn_getUint64NumToPrecompute())
  mcl.mclBn_precomputeG2(lines, point)
  return lines
}
