import { secp256k1 } from '@noble/curves/secp256k1.js'
import type { Bytes } from './hex.ts'

/** What a secp256k1 library does for us; `compact` is r and s, 32 bytes each. */
export interface Curve {
  /** The public key as 65 bytes, undefined when there is none. */
  recover(hash: Bytes, compact: Bytes, yParity: 0 | 1): Bytes | undefined
  /** `s` is low. */
  sign(hash: Bytes, privateKey: Bytes): { readonly compact: Bytes; readonly yParity: 0 | 1 }
  /** 65 bytes. */
  publicKey(privateKey: Bytes): Bytes
}

/** JavaScript alone: about 20 times slower than the native addon, but it runs everywhere. */
export const pureCurve: Curve = {
  recover(hash, compact, yParity) {
    try {
      const signature = secp256k1.Signature.fromBytes(compact, 'compact').addRecoveryBit(yParity)
      return signature.recoverPublicKey(hash).toBytes(false)
    } catch {
      return undefined
    }
  },
  sign(hash, privateKey) {
    const recovered = secp256k1.sign(hash, privateKey, { prehash: false, lowS: true, format: 'recovered' })
    return { compact: recovered.subarray(1), yParity: parity(recovered[0]!) }
  },
  publicKey(privateKey) {
    return secp256k1.getPublicKey(privateKey, false)
  },
}

/** Recovery ids 2 and 3 (r above the order) happen once in 2^127 signatures; Ethereum has no place for them. */
export function parity(recoveryId: number): 0 | 1 {
  return (recoveryId & 1) === 1 ? 1 : 0
}
