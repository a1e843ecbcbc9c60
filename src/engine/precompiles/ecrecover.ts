import { EMPTY_BYTES, hexToBytes } from '../../primitives/hex.ts'
import { bytesToBigint } from '../../primitives/quantity.ts'
import { recoverAddress } from '../../primitives/secp256k1/secp256k1.ts'
import { isZeroBytes, type Precompile, paddedSlice } from '../precompile.ts'

const GAS = 3_000n
const FIRST_V = 27

/** 0x01: recovers the signer of hash, v, r and s as a word; empty output if there is none. High s is accepted. */
export const ecrecover: Precompile = {
  gas: () => GAS,
  run(input) {
    const v = paddedSlice(input, 32, 32)
    const yParity = v[31]! - FIRST_V
    if ((yParity !== 0 && yParity !== 1) || !isZeroBytes(v.subarray(0, 31))) return EMPTY_BYTES
    const r = bytesToBigint(paddedSlice(input, 64, 32))
    const s = bytesToBigint(paddedSlice(input, 96, 32))
    const signer = recoverAddress(paddedSlice(input, 0, 32), { r, s, yParity })
    if (signer === undefined) return EMPTY_BYTES
    const output = new Uint8Array(32)
    output.set(hexToBytes(signer), 12)
    return output
  },
}
