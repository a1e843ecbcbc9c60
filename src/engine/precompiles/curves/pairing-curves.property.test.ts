import { bls12_381 } from '@noble/curves/bls12-381.js'
import { bn254 } from '@noble/curves/bn254.js'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { bytes, concat, damaged, expectSame, runs } from '../../../../test/support/precompile-oracle.ts'
import { runsAllCases } from '../../../../test/support/runs.ts'
import type { Bytes } from '../../../primitives/hex.ts'
import { bigintToWord } from '../../../primitives/quantity.ts'

describe('bn254', () => {
  const scalar = fc.bigInt(0n, bn254.fields.Fr.ORDER - 1n)
  const g1 = scalar.map((value) => encodeBn254G1(value))
  const g2 = fc.bigInt(0n, 1000n).map((value) => encodeBn254G2(value))

  it('adds and multiplies like the oracle', async () => {
    await fc.assert(
      fc.asyncProperty(damaged(fc.tuple(g1, g1).map((pair) => concat(...pair))), async (input) => {
        await expectSame(6, input)
      }),
      runs(60),
    )
    await fc.assert(
      fc.asyncProperty(damaged(fc.tuple(g1, bytes(32)).map((pair) => concat(...pair))), async (input) => {
        await expectSame(7, input)
      }),
      runs(40),
    )
    const point = encodeBn254G1(5n)
    const opposite = encodeBn254G1(bn254.fields.Fr.ORDER - 5n)
    for (const input of [concat(point, point), concat(point, opposite), concat(point), new Uint8Array(0)]) {
      expect(await expectSame(6, input)).toBeDefined()
    }
  })

  it('checks pairings like the oracle', async () => {
    await fc.assert(
      fc.asyncProperty(
        damaged(fc.array(fc.tuple(g1, g2), { maxLength: 3 }).map((pairs) => concat(...pairs.flat()))),
        async (input) => {
          await expectSame(8, input)
        },
      ),
      runs(12),
    )
  })

  it('finds products of one, also over more pairs than one batch', async () => {
    const order = bn254.fields.Fr.ORDER
    const pairs = Array.from({ length: 9 }, (_, index) => BigInt(index + 2)).flatMap((value) => [
      encodeBn254G1(value),
      encodeBn254G2(3n),
      encodeBn254G1(order - 3n * value),
      encodeBn254G2(1n),
    ])
    expect((await expectSame(8, concat(...pairs)))![31]).toBe(1)
    expect((await expectSame(8, concat(...pairs.slice(0, -2))))![31]).toBe(0)
  })

  it('rejects exactly the points of the twist that are not in the group', async () => {
    let outside = 0
    for (let real = 1n; outside < 6; real++) {
      const { Fp2 } = bn254.fields
      const x = Fp2.create({ c0: real, c1: 3n })
      const square = Fp2.add(Fp2.mul(Fp2.sqr(x), x), bn254.G2.Point.CURVE().b)
      let y: { readonly c0: bigint; readonly c1: bigint }
      try {
        y = Fp2.sqrt(square)
      } catch {
        continue
      }
      outside++
      const point = concat(...[x.c1, x.c0, y.c1, y.c0].map(bigintToWord))
      expect(await expectSame(8, concat(encodeBn254G1(1n), point))).toBeUndefined()
      expect(await expectSame(8, concat(encodeBn254G1(0n), point))).toBeUndefined()
    }
  })
})

function encodeBn254G1(value: bigint): Bytes {
  if (value === 0n) return new Uint8Array(64)
  const { x, y } = bn254.G1.Point.BASE.multiply(value).toAffine()
  return concat(bigintToWord(x), bigintToWord(y))
}

function encodeBn254G2(value: bigint): Bytes {
  if (value === 0n) return new Uint8Array(128)
  const { x, y } = bn254.G2.Point.BASE.multiply(value).toAffine()
  return concat(...[x.c1, x.c0, y.c1, y.c0].map(bigintToWord))
}

describe('BLS12-381', () => {
  const order = bls12_381.fields.Fr.ORDER
  const scalar = fc.bigInt(0n, order - 1n)
  const g1 = scalar.map((value) => encodeG1(value))
  const g2 = fc.bigInt(0n, 10_000n).map((value) => encodeG2(value))

  it('adds like the oracle', async () => {
    for (const [number, point] of [
      [0x0b, g1],
      [0x0d, g2],
    ] as const) {
      await fc.assert(
        fc.asyncProperty(damaged(fc.tuple(point, point).map((pair) => concat(...pair))), async (input) => {
          await expectSame(number, input)
        }),
        runs(25),
      )
    }
    expect(await expectSame(0x0b, concat(encodeG1(5n), encodeG1(order - 5n)))).toEqual(new Uint8Array(128))
    expect(await expectSame(0x0d, concat(encodeG2(5n), encodeG2(order - 5n)))).toEqual(new Uint8Array(256))
  })

  it('multiplies like the oracle', async () => {
    for (const [number, point] of [
      [0x0c, g1],
      [0x0e, g2],
    ] as const) {
      const pairs = fc.array(fc.tuple(point, bytes(32)), { maxLength: 5 }).map((items) => concat(...items.flat()))
      await fc.assert(
        fc.asyncProperty(damaged(pairs), async (input) => void (await expectSame(number, input))),
        runs(12),
      )
    }
  })

  it('multiplies more points than one batch', async () => {
    const pairs = Array.from({ length: 131 }, (_, index) =>
      concat(encodeG1(BigInt(index)), bigintToWord(BigInt(7 * index))),
    )
    expect(await expectSame(0x0c, concat(...pairs))).toBeDefined()
  })

  it('multiplies many points of G2, with scalars at the bounds of their decomposition', async () => {
    const x = 0xd201000000010000n
    const scalars = [
      0n,
      1n,
      15n,
      16n,
      17n,
      31n,
      32n,
      x - 1n,
      x,
      x ** 2n,
      x ** 3n - 1n,
      x ** 4n,
      order - 1n,
      order,
      (1n << 256n) - 1n,
    ]
    // The oracle takes most of a minute for 261 points.
    for (const count of runsAllCases ? [32, 50, 261] : [32, 50]) {
      const pairs = Array.from({ length: count }, (_, index) =>
        concat(encodeG2(BigInt(index % 40)), bigintToWord(scalars[index % scalars.length]!)),
      )
      expect(await expectSame(0x0e, concat(...pairs))).toBeDefined()
    }
    const random = fc.array(fc.tuple(g2, bytes(32)), { minLength: 32, maxLength: 34 })
    await fc.assert(
      fc.asyncProperty(random, async (pairs) => void (await expectSame(0x0e, concat(...pairs.flat())))),
      runs(3),
    )
  })

  it('rejects points of the twist that are not in the group but adds them', async () => {
    const { Fp2 } = bls12_381.fields
    let outside = 0
    for (let real = 1n; outside < 6; real++) {
      const x = Fp2.create({ c0: real, c1: 2n })
      let y: { readonly c0: bigint; readonly c1: bigint }
      try {
        y = Fp2.sqrt(Fp2.add(Fp2.mul(Fp2.sqr(x), x), bls12_381.G2.Point.CURVE().b))
      } catch {
        continue
      }
      outside++
      const point = concat(fp(x.c0), fp(x.c1), fp(y.c0), fp(y.c1))
      expect(await expectSame(0x0e, concat(point, bigintToWord(1n)))).toBeUndefined()
      expect(await expectSame(0x0f, concat(encodeG1(1n), point))).toBeUndefined()
      expect(await expectSame(0x0d, concat(point, encodeG2(3n)))).toBeDefined()
    }
  })

  it('rejects points that are not in the group but adds them', async () => {
    const { Fp } = bls12_381.fields
    let outside = 0
    for (let x = 1n; outside < 6; x++) {
      let y: bigint
      try {
        y = Fp.sqrt(Fp.add(Fp.pow(x, 3n), 4n))
      } catch {
        continue
      }
      outside++
      const point = concat(fp(x), fp(y))
      expect(await expectSame(0x0c, concat(point, bigintToWord(1n)))).toBeUndefined()
      expect(await expectSame(0x0f, concat(point, encodeG2(1n)))).toBeUndefined()
      expect(await expectSame(0x0b, concat(point, encodeG1(3n)))).toBeDefined()
    }
  })

  it('checks pairings like the oracle', async () => {
    await fc.assert(
      fc.asyncProperty(
        damaged(fc.array(fc.tuple(g1, g2), { minLength: 1, maxLength: 3 }).map((pairs) => concat(...pairs.flat()))),
        async (input) => {
          await expectSame(0x0f, input)
        },
      ),
      runs(12),
    )
    const one = [encodeG1(6n), encodeG2(7n), encodeG1(order - 42n), encodeG2(1n)]
    expect((await expectSame(0x0f, concat(...one)))![31]).toBe(1)
    expect((await expectSame(0x0f, concat(...one, encodeG1(0n), encodeG2(9n))))![31]).toBe(1)
    expect((await expectSame(0x0f, concat(encodeG1(0n), encodeG2(9n))))![31]).toBe(1)
  })

  it('maps like the oracle', async () => {
    const element = fc.bigInt(0n, bls12_381.fields.Fp.ORDER - 1n).map((value) => fp(value))
    await fc.assert(
      fc.asyncProperty(damaged(element), async (input) => void (await expectSame(0x10, input))),
      runs(30),
    )
    await fc.assert(
      fc.asyncProperty(damaged(fc.tuple(element, element).map((pair) => concat(...pair))), async (input) => {
        await expectSame(0x11, input)
      }),
      runs(20),
    )
    for (const value of [0n, 1n, bls12_381.fields.Fp.ORDER - 1n, bls12_381.fields.Fp.ORDER]) {
      await expectSame(0x10, fp(value))
      await expectSame(0x11, concat(fp(value), fp(0n)))
    }
  })
})

function fp(value: bigint): Bytes {
  return Buffer.from(value.toString(16).padStart(128, '0'), 'hex')
}

function encodeG1(value: bigint): Bytes {
  if (value === 0n) return new Uint8Array(128)
  const { x, y } = bls12_381.G1.Point.BASE.multiply(value).toAffine()
  return concat(fp(x), fp(y))
}

function encodeG2(value: bigint): Bytes {
  if (value === 0n) return new Uint8Array(256)
  const { x, y } = bls12_381.G2.Point.BASE.multiply(value).toAffine()
  return concat(fp(x.c0), fp(x.c1), fp(y.c0), fp(y.c1))
}
