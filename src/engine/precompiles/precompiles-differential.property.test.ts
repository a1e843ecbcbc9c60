import { p256 } from '@noble/curves/nist.js'
import { secp256k1 } from '@noble/curves/secp256k1.js'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { bytes, concat, damaged, expectSame, runs, upTo } from '../../../test/support/precompile-oracle.ts'
import { type Address, type Bytes, bytesToHex } from '../../primitives/hex.ts'
import { bigintToWord } from '../../primitives/quantity.ts'
import { precompilesOf } from './registry.ts'

describe('hashes and signatures', () => {
  it('hash and copy like the oracle', async () => {
    await fc.assert(
      fc.asyncProperty(upTo(400), async (input) => {
        for (const number of [2, 3, 4]) expect(await expectSame(number, input)).toBeDefined()
      }),
      runs(100),
    )
  })

  it('recover signers like the oracle', async () => {
    const signature = fc.tuple(bytes(32), bytes(32), fc.boolean()).map(([hash, seed, high]) => {
      const key = bigintToWord((BigInt(bytesToHex(seed)) % 1000n) + 1n)
      const signed = secp256k1.sign(hash, key, { prehash: false, format: 'recovered', lowS: !high })
      return concat(hash, bigintToWord(27n + BigInt(signed[0]!)), signed.subarray(1))
    })
    await fc.assert(
      fc.asyncProperty(damaged(signature), async (input) => void (await expectSame(1, input))),
      runs(60),
    )
    const order = secp256k1.Point.Fn.ORDER
    for (const [v, r, s] of [
      [27n, 0n, 1n],
      [27n, 1n, 0n],
      [28n, order, 1n],
      [27n, 1n, order],
      [27n, order - 1n, order - 1n],
      [29n, 1n, 1n],
      [(1n << 64n) + 27n, 1n, 1n],
    ] as const) {
      await expectSame(1, concat(new Uint8Array(32), ...[v, r, s].map(bigintToWord)))
    }
  })

  it('verify P-256 like the oracle', async () => {
    const signature = fc.tuple(bytes(32), fc.bigInt(1n, 1n << 255n)).map(([hash, scalar]) => {
      const key = bigintToWord(scalar)
      const publicKey = p256.getPublicKey(key, false).subarray(1)
      return concat(hash, p256.sign(hash, key, { prehash: false }), publicKey)
    })
    await fc.assert(
      fc.asyncProperty(signature, async (input) => {
        expect(await expectSame(0x100, input)).toHaveLength(32)
      }),
      { numRuns: 10 },
    )
    await fc.assert(
      fc.asyncProperty(damaged(signature), async (input) => void (await expectSame(0x100, input))),
      { numRuns: 50 },
    )
  })

  it('verify P-256 for equal or opposite points and infinity', async () => {
    const order = p256.Point.Fn.ORDER
    const coordinates = (scalar: bigint) => p256.Point.BASE.multiply(scalar).toBytes(false).subarray(1)
    const inverse = (value: bigint) => p256.Point.Fn.inv(value)
    const verdicts: number[] = []
    for (const key of [1n, 2n, 77n, order - 1n]) {
      for (const hashPart of [0n, key, order - key, 5n]) {
        // hash / r = hashPart and s such that r is right: s = r * (hashPart + key) / k, where r = x(k * G).
        const r = p256.Point.BASE.multiply(9n).toAffine().x % order
        const s = (((r * ((hashPart + key) % order)) % order) * inverse(9n)) % order
        const input = concat(
          bigintToWord((hashPart * r) % order),
          bigintToWord(r),
          bigintToWord(s || 1n),
          coordinates(key),
        )
        verdicts.push((await expectSame(0x100, input))!.length)
      }
    }
    expect(verdicts.filter((length) => length === 32)).toHaveLength(12)
  })
})

describe('modexp', () => {
  const encode = (base: Bytes, exponent: Bytes, modulus: Bytes): Bytes =>
    concat(...[base, exponent, modulus].map((part) => bigintToWord(BigInt(part.length))), base, exponent, modulus)
  /** Random, zero, one, a power of two, all bits set, and even with many trailing zeros. */
  const number = (length: number) =>
    fc.oneof(
      upTo(length),
      fc.nat(length).map((size) => new Uint8Array(size)),
      fc.nat(length).map((size) => new Uint8Array(size).fill(0xff)),
      fc.tuple(upTo(length), fc.nat(length)).map(([random, zeros]) => Uint8Array.from(random).fill(0, zeros)),
    )

  it('agrees with the oracle under every gas schedule', async () => {
    await fc.assert(
      fc.asyncProperty(number(80), number(70), number(80), async (base, exponent, modulus) => {
        for (const fork of ['byzantium', 'berlin', 'osaka'] as const) {
          await expectSame(5, encode(base, exponent, modulus), fork)
        }
      }),
      runs(400),
    )
  })

  it('computes the bounds of EIP-7823 and moduli beyond them', async () => {
    await fc.assert(
      fc.asyncProperty(number(1030), number(40), number(1030), async (base, exponent, modulus) => {
        for (const fork of ['prague', 'osaka'] as const) await expectSame(5, encode(base, exponent, modulus), fork)
      }),
      runs(40),
    )
  })

  it('reads zeros beyond the end', async () => {
    const whole = encode(Uint8Array.of(3), new Uint8Array(40).fill(7), new Uint8Array(9).fill(5))
    for (let length = 0; length <= whole.length; length += 7) await expectSame(5, whole.subarray(0, length))
  })
})

describe('blake2f', () => {
  it('compresses like the oracle', async () => {
    const input = fc
      .tuple(fc.nat(30), bytes(208), fc.nat(2))
      .map(([rounds, rest, final]) => concat(Uint8Array.of(0, 0, 0, rounds), rest, Uint8Array.of(final)))
    await fc.assert(
      fc.asyncProperty(input, async (data) => void (await expectSame(9, data))),
      runs(100),
    )
    await expectSame(9, new Uint8Array(212))
    await expectSame(9, new Uint8Array(214))
  })

  it('compresses the vectors of EIP-152', () => {
    const rest =
      '48c9bdf267e6096a3ba7ca8485ae67bb2bf894fe72f36e3cf1361d5f3af54fa5d182e6ad7f520e511f6c3e2b8c68059b6bbd41fbabd9831f79217e1319cde05b616263' +
      '00'.repeat(125) +
      '0300000000000000' +
      '0000000000000000'
    const run = (head: string, flag: string) =>
      Buffer.from(
        precompilesOf('prague')
          .get(`0x${'9'.padStart(40, '0')}` as Address)!
          .run(Buffer.from(head + rest + flag, 'hex'), 'prague')!,
      ).toString('hex')
    expect(run('0000000c', '01')).toBe(
      'ba80a53f981c4d0d6a2797b69f12f6e94c212f14685ac4b74b12bb6fdbffa2d17d87c5392aab792dc252d5de4533cc9518d38aa8dbf1925ab92386edd4009923',
    )
    expect(run('0000000c', '00')).toBe(
      '75ab69d3190a562c51aef8d88f1c2775876944407270c42c9844252c26d2875298743e7f6d5ea2f2d3e8d226039cd31b4e426ac4f2d3d666a610c2116fde4735',
    )
    expect(run('00000000', '01')).toBe(
      '08c9bcf367e6096a3ba7ca8485ae67bb2bf894fe72f36e3cf1361d5f3af54fa5d282e6ad7f520e511f6c3e2b8c68059b9442be0454267ce079217e1319cde05b',
    )
  })
})
