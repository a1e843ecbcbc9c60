import { rulesOf } from '../../../chain/forks/rules.ts'
import type { Bytes } from '../../../primitives/hex.ts'
import { bigintToWord } from '../../../primitives/quantity.ts'
import { isZeroBytes, type Precompile } from '../../precompile.ts'
import { bn254Curve, decodeField, FIELD_SIZE, type MclCurve } from '../curves/mcl-curve.ts'
import { isPairingProductOne } from '../curves/pairing-product.ts'
import { decodeBn254G1 } from './bn254-g1.ts'
import { isInBn254G2 } from './bn254-subgroup.ts'

const PAIR_SIZE = 192
const G1_BYTES = 64

/** 0x08 (EIP-197, gas by EIP-1108): whether the product of pairings is one. */
export const bn254Pairing: Precompile = {
  gas(input, fork) {
    const pairs = BigInt(Math.floor(input.length / PAIR_SIZE))
    return rulesOf(fork).hasCheaperBn254 ? 45_000n + 34_000n * pairs : 100_000n + 80_000n * pairs
  },
  run(input) {
    if (input.length % PAIR_SIZE !== 0) return undefined
    const curve = bn254Curve()
    const isOne = isPairingProductOne(curve, input.length / PAIR_SIZE, (index, g1, g2) => {
      const pair = input.subarray(index * PAIR_SIZE, (index + 1) * PAIR_SIZE)
      return decodeBn254G1(curve, g1, pair.subarray(0, G1_BYTES)) && decodeG2(curve, g2, pair.subarray(G1_BYTES))
    })
    return isOne === undefined ? undefined : bigintToWord(isOne ? 1n : 0n)
  },
}

/** EIP-197 puts the imaginary part of a coordinate first, mcl the real part. */
function decodeG2(curve: MclCurve, target: number, bytes: Bytes): boolean {
  const { mcl } = curve
  if (isZeroBytes(bytes)) {
    mcl.mclBnG2_clear(target)
    return true
  }
  for (const [index, part] of [1, 0, 3, 2].entries()) {
    if (!decodeField(curve, target + part * FIELD_SIZE, bytes.subarray(32 * index, 32 * index + 32))) return false
  }
  mcl.mclBnFp_setInt32(target + 4 * FIELD_SIZE, 1)
  mcl.mclBnFp_setInt32(target + 5 * FIELD_SIZE, 0)
  return mcl.mclBnG2_isValid(target) !== 0 && isInBn254G2(curve, target)
}
