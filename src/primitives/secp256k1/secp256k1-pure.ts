import { createRequire } from 'node:module'
import type { Bytes } from '../hex.ts'

/** Operations of a secp256k1 library; `compact` is r and s, 32 bytes each. */
export interface Curve {
  /** The uncompressed public key, 65 bytes; undefined if there is none. */
  recover(hash: Bytes, compact: Bytes, yParity: 0 | 1): Bytes | undefined
  /** `s` is low. */
  sign(hash: Bytes, privateKey: Bytes): { readonly compact: Bytes; readonly yParity: 0 | 1 }
  /** 65 bytes. */
  publicKey(privateKey: Bytes): Bytes
}

/** Pure JavaScript: about 20 times slower than the native addon. Loaded here, because it would slow each start. */
export function pureCurve(): Curve {
  const load = createRequire(import.meta.url)
  return curveOf(load('@noble/curves/secp256k1.js') as typeof import('@noble/curves/secp256k1.js'))
}

function curveOf({ secp256k1 }: typeof import('@noble/curves/secp256k1.js')): Curve {
  return {
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
}

/** Recovery ids 2 and 3 (r above the group order) occur once in 2^127 signatures; Ethereum cannot express them. */
export function parity(recoveryId: number): 0 | 1 {
  return (recoveryId & 1) === 1 ? 1 : 0
}
