import { bigintToWord } from '../../../primitives/quantity.ts'
import type { Precompile } from '../../precompile.ts'
import { bls12Curve } from '../curves/mcl-curve.ts'
import { isPairingProductOne } from '../curves/pairing-product.ts'
import { decodeG1, decodeG2, G1_BYTES, G2_BYTES } from './bls12-points.ts'
import { isInBls12G1, isInBls12G2 } from './bls12-subgroup.ts'

const PAIR_BYTES = G1_BYTES + G2_BYTES

/** 0x0f (EIP-2537): whether the product of pairings is one. */
export const bls12Pairing: Precompile = {
  gas: (input) => 37_700n + 32_600n * BigInt(Math.floor(input.length / PAIR_BYTES)),
  run(input) {
    if (input.length === 0 || input.length % PAIR_BYTES !== 0) return undefined
    const curve = bls12Curve()
    const { mcl } = curve
    const isOne = isPairingProductOne(curve, input.length / PAIR_BYTES, (index, g1, g2) => {
      const pair = input.subarray(index * PAIR_BYTES, (index + 1) * PAIR_BYTES)
      if (!decodeG1(curve, g1, pair.subarray(0, G1_BYTES)) || !decodeG2(curve, g2, pair.subarray(G1_BYTES)))
        return false
      if (mcl.mclBnG1_isZero(g1) === 0 && !isInBls12G1(curve, g1)) return false
      return mcl.mclBnG2_isZero(g2) !== 0 || isInBls12G2(curve, g2)
    })
    return isOne === undefined ? undefined : bigintToWord(isOne ? 1n : 0n)
  },
}
