import { ecrecover } from '@ethereumjs/util'
import fc from 'fast-check'
import { privateKeyToAccount } from 'viem/accounts'
import { describe, expect, it } from 'vitest'
import { bytesToHex, hexToBytes } from '../hex.ts'
import { bigintToWord, bytesToBigint } from '../quantity.ts'
import {
  PrivateKeyError,
  privateKeyToAddress,
  recoverAddress,
  SECP256K1_HALF_ORDER,
  SECP256K1_ORDER,
  sign,
} from './secp256k1.ts'
import { nativeCurve } from './secp256k1-native.ts'
import { pureCurve } from './secp256k1-pure.ts'

/** The first account of the mnemonic `test test … junk`. */
const KEY = hexToBytes('0xac0974bec39a17e36ba4a6b4d238ff944bacb478cbed5efcae784d7bf4f2ff80')
const ADDRESS = '0xf39fd6e51aad88f6f4ce6ab8827279cfffb92266'

const privateKey = fc.bigInt({ min: 1n, max: SECP256K1_ORDER - 1n }).map(bigintToWord)
const hash = fc.uint8Array({ minLength: 32, maxLength: 32 })

describe('sign and recoverAddress', () => {
  it('reproduce the first development account', () => {
    expect(privateKeyToAddress(KEY)).toBe(ADDRESS)
  })

  it('agree with another implementation', () => {
    fc.assert(
      fc.property(privateKey, hash, (key, message) => {
        const signature = sign(message, key)
        const address = privateKeyToAddress(key)
        expect(address).toBe(privateKeyToAccount(bytesToHex(key)).address.toLowerCase())
        expect(signature.s <= SECP256K1_HALF_ORDER).toBe(true)
        expect(recoverAddress(message, signature)).toBe(address)
        expect(
          ecrecover(message, BigInt(signature.yParity), bigintToWord(signature.r), bigintToWord(signature.s)),
        ).toHaveLength(64)
      }),
      { numRuns: 25 },
    )
  })

  it('accept the malleable twin of a signature', () => {
    const message = new Uint8Array(32).fill(7)
    const { r, s, yParity } = sign(message, KEY)
    expect(recoverAddress(message, { r, s: SECP256K1_ORDER - s, yParity: yParity === 0 ? 1 : 0 })).toBe(ADDRESS)
    expect(recoverAddress(message, { r, s, yParity: yParity === 0 ? 1 : 0 })).not.toBe(ADDRESS)
  })

  it.each([
    ['r of 0', 0n, 1n],
    ['s of 0', 1n, 0n],
    ['r at the order', SECP256K1_ORDER, 1n],
    ['s at the order', 1n, SECP256K1_ORDER],
    ['r that is no point', 5n, 1n],
  ])('recover nothing from %s', (_, r, s) => {
    expect(recoverAddress(new Uint8Array(32), { r, s, yParity: 0 })).toBeUndefined()
  })

  it.each([
    ['0', new Uint8Array(32)],
    ['the order', bigintToWord(SECP256K1_ORDER)],
    ['31 bytes', new Uint8Array(31).fill(1)],
  ])('reject %s as a private key', (_, key) => {
    expect(() => privateKeyToAddress(key)).toThrow(PrivateKeyError)
    expect(() => sign(new Uint8Array(32), key)).toThrow(PrivateKeyError)
  })
})

describe('the fallback without the native addon', () => {
  const native = nativeCurve()
  it.skipIf(!native)('agrees with the addon', () => {
    fc.assert(
      fc.property(privateKey, hash, hash, (key, message, noise) => {
        const signed = pureCurve.sign(message, key)
        expect(signed.yParity).toBe(native!.sign(message, key).yParity)
        expect(bytesToHex(signed.compact)).toBe(bytesToHex(native!.sign(message, key).compact))
        expect(bytesToHex(pureCurve.publicKey(key))).toBe(bytesToHex(native!.publicKey(key)))
        for (const r of [signed.compact.subarray(0, 32), bigintToWord(bytesToBigint(noise) % SECP256K1_ORDER)]) {
          const compact = Buffer.concat([r, signed.compact.subarray(32)])
          for (const yParity of [0, 1] as const) {
            const expected = native!.recover(message, compact, yParity)
            const actual = pureCurve.recover(message, compact, yParity)
            expect(actual && bytesToHex(actual)).toBe(expected && bytesToHex(expected))
          }
        }
      }),
      { numRuns: 25 },
    )
  })
})
