import { createRequire } from 'node:module'
import { type Curve, parity } from './secp256k1-pure.ts'

type Addon = Pick<typeof import('secp256k1'), 'ecdsaRecover' | 'ecdsaSign' | 'publicKeyCreate'>

/**
 * libsecp256k1, or undefined on a platform without a prebuilt addon. The bindings are loaded by their own path: the
 * package's entry falls back to a JavaScript library slower than ours.
 */
export function nativeCurve(): Curve | undefined {
  const addon = loadAddon()
  return addon && curveOf(addon)
}

function loadAddon(): Addon | undefined {
  try {
    return createRequire(import.meta.url)('secp256k1/bindings.js') as Addon
  } catch {
    return undefined
  }
}

function curveOf(addon: Addon): Curve {
  return {
    recover(hash, compact, yParity) {
      try {
        return addon.ecdsaRecover(compact, yParity, hash, false)
      } catch {
        return undefined
      }
    },
    sign(hash, privateKey) {
      const { signature, recid } = addon.ecdsaSign(hash, privateKey)
      return { compact: signature, yParity: parity(recid) }
    },
    publicKey(privateKey) {
      return addon.publicKeyCreate(privateKey, false)
    },
  }
}
