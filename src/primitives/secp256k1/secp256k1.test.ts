import { ecrecover } from '@ethereumjs/util'
import fc from 'fast-check'
import { privateKeyToAccount } from 'viem/accounts'
import { describe, expect, it } from 'vitest'
import { bytesToHex, hexToBytes } from '../hex.ts'
import { bigintToWord, bytesToBigint } from '../quantity.ts'
import { chooseCurve } from './choose-curve.ts'
import {
  PrivateKeyError,
  privateKeyToAddress,
  recoverAddress,
  SECP256K1_HALF_ORDER,
  SECP256K1_ORDER,
  sign,
} from './secp256k1.ts'
import { nativeCurve } from './secp256k1-native.ts'

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

describe('the implementations', () => {
  // Installed without the addon, a node runs on the others.
  const names = [...(nativeCurve() === undefined ? [] : ['addon']), 'webassembly', 'javascript']
  const curves = names.map((name) => ({ ...chooseCurve(name), name }))

  it('load on this platform, each as the first one, or else the fastest that loads', () => {
    expect(curves.map(({ implementation }) => implementation)).toEqual(names)
    for (const name of [undefined, 'unknown', 'addon']) expect(chooseCurve(name).implementation).toBe(names[0])
  })

  it('sign and derive keys alike', () => {
    fc.assert(
      fc.property(privateKey, hash, (key, message) => {
        const results = curves.map(({ curve }) => {
          const { compact, yParity } = curve.sign(message, key)
          return [bytesToHex(compact), yParity, bytesToHex(curve.publicKey(key))]
        })
        for (const result of results) expect(result).toEqual(results[0])
      }),
      { numRuns: 25 },
    )
  })

  it('recover alike from signatures, their malleable twins and any other words', () => {
    const edges = [0n, 1n, 2n, 5n, SECP256K1_HALF_ORDER, SECP256K1_HALF_ORDER + 1n, SECP256K1_ORDER - 1n]
    const beyond = [SECP256K1_ORDER, SECP256K1_ORDER + 1n, FIELD_PRIME - 1n, FIELD_PRIME, 2n ** 256n - 1n]
    const word = fc.oneof(fc.constantFrom(...edges, ...beyond), hash.map(bytesToBigint))
    fc.assert(
      fc.property(privateKey, hash, word, word, (key, message, otherR, otherS) => {
        const { compact, yParity } = curves[0]!.curve.sign(message, key)
        const [r, s] = [bytesToBigint(compact.subarray(0, 32)), bytesToBigint(compact.subarray(32))]
        const pairs = [
          [r, s],
          [r, SECP256K1_ORDER - s],
          [otherR, s],
          [r, otherS],
          [otherR, otherS],
        ] as const
        for (const [index, [left, right]] of pairs.entries()) {
          const signature = Buffer.concat([bigintToWord(left), bigintToWord(right)])
          for (const parity of [0, 1] as const) {
            const keys = curves.map(({ curve }) => curve.recover(message, signature, parity))
            const [first, ...others] = keys.map((found) => found && bytesToHex(found))
            for (const other of others) expect(other, `${left} ${right} ${parity}`).toBe(first)
            const isSigner = (index === 0 && parity === yParity) || (index === 1 && parity !== yParity)
            if (isSigner) expect(first).toBe(bytesToHex(curves[0]!.curve.publicKey(key)))
          }
        }
      }),
      { numRuns: 25 },
    )
  })

  it('recover alike from hashes at the bounds of the group order', () => {
    for (const scalar of [0n, 1n, SECP256K1_ORDER - 1n, SECP256K1_ORDER, 2n ** 256n - 1n]) {
      const message = bigintToWord(scalar)
      const { compact, yParity } = curves.at(-1)!.curve.sign(message, KEY)
      const keys = curves.map(({ curve }) => curve.recover(message, compact, yParity))
      for (const found of keys) expect(found && bytesToHex(found)).toBe(bytesToHex(curves[0]!.curve.publicKey(KEY)))
    }
  })
})

/** Modulus of the curve's coordinates. */
const FIELD_PRIME = 2n ** 256n - 2n ** 32n - 977n
