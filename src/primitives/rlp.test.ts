import fc from 'fast-check'
import { fromRlp, toRlp } from 'viem'
import { describe, expect, it } from 'vitest'
import { bytesToHex, type Hex, hexToBytes, InvalidHexError } from './hex.ts'
import { bigintToBytes, MAX_UINT256 } from './quantity.ts'
import { decodeRlp, encodeRlp, encodeTypedRlp, MAX_RLP_DEPTH, RlpError, type RlpItem, rlpLength } from './rlp.ts'
import { encoded, encodedLength, pushEncoded, startTransient } from './rlp-parts.ts'
import { transientRlp } from './rlp-writer.ts'

type HexItem = Hex | HexItem[]

function toHexItem(item: RlpItem): HexItem {
  return item instanceof Uint8Array ? bytesToHex(item) : item.map(toHexItem)
}

const item: fc.Arbitrary<RlpItem> = fc.letrec<{ item: RlpItem }>((tie) => ({
  item: fc.oneof(
    { depthSize: 'small', withCrossShrink: true },
    fc.uint8Array({ maxLength: 80 }),
    fc.array(tie('item'), { maxLength: 6 }),
  ),
})).item

describe('encodeRlp and decodeRlp', () => {
  it('agree with another implementation on any item', () => {
    fc.assert(
      fc.property(item, (value) => {
        const encoded = encodeRlp(value)
        const hex = toHexItem(value)
        expect(bytesToHex(encoded)).toBe(toRlp(hex))
        expect(toHexItem(decodeRlp(encoded))).toEqual(hex)
        expect(fromRlp(bytesToHex(encoded), 'hex')).toEqual(hex)
      }),
    )
  })

  it('encode hex, bigints and numbers like the bytes they stand for', () => {
    const parts = fc.record({
      bytes: fc.uint8Array({ maxLength: 300 }),
      word: fc.bigInt({ min: 0n, max: MAX_UINT256 }),
      count: fc.maxSafeNat(),
    })
    fc.assert(
      fc.property(parts, fc.nat(0x7f), ({ bytes, word, count }, type) => {
        const asBytes = [bytes, bigintToBytes(word), [bigintToBytes(BigInt(count))]]
        const encoded = encodeRlp(asBytes)
        expect(encodeRlp([bytesToHex(bytes), word, [count]])).toEqual(encoded)
        expect(encodeRlp([bytesToHex(bytes).toUpperCase().replace('X', 'x') as Hex, word, [BigInt(count)]])).toEqual(
          encoded,
        )
        expect(encodeTypedRlp(type, asBytes)).toEqual(Uint8Array.of(type, ...encoded))
      }),
    )
  })

  it.each(['0x1', 'aabb', '0xgg', '0x0_', '0x\u0100\u0100', '0xaa\u{1f600}'])(
    'refuse %j, which is not bytes',
    (text) => {
      expect(() => encodeRlp([text as Hex])).toThrow(InvalidHexError)
      expect(bytesToHex(encodeRlp(['0x0102']))).toBe('0xc3820102')
    },
  )

  it('encode items larger than any before', () => {
    const large = new Uint8Array(300_000).fill(7)
    const encoded = encodeRlp([large, [large, 1n], '0xff'])
    expect(toHexItem(decodeRlp(encoded))).toEqual([bytesToHex(large), [bytesToHex(large), '0x01'], '0xff'])
    expect(bytesToHex(encodeRlp([1, 2, 3]))).toBe('0xc3010203')
  })

  it('leave earlier encodings unchanged, also after a failed one', () => {
    const length = fc.oneof(
      { arbitrary: fc.nat(200), weight: 4 },
      { arbitrary: fc.integer({ min: 3_000, max: 12_000 }), weight: 4 },
      { arbitrary: fc.integer({ min: 60_000, max: 150_000 }), weight: 1 },
    )
    const lengths = fc.array(length, { maxLength: 40 })
    fc.assert(
      fc.property(lengths, (list) => {
        const items = list.map((length, index) => new Uint8Array(length).fill(index + 1))
        const encoded = items.map((bytes) => {
          expect(() => encodeRlp(['0xzz', bytes])).toThrow(InvalidHexError)
          return encodeRlp([bytes, bytes.length])
        })
        const wanted = items.map((bytes) => [bytesToHex(bytes), bytesToHex(bigintToBytes(BigInt(bytes.length)))])
        expect(encoded.map((bytes) => toHexItem(decodeRlp(bytes)))).toEqual(wanted)
      }),
    )
  })

  it('of some kilobytes fill shared chunks instead of allocating one each', () => {
    const large = new Uint8Array(9_000)
    const rounds = Array.from({ length: 10 }, () => ({
      transient: transientRlp(large, undefined).buffer,
      large: encodeRlp(large).buffer,
      small: encodeRlp([1, new Uint8Array(40)]).buffer,
    }))
    const memories = (name: 'transient' | 'large' | 'small') => new Set(rounds.map((round) => round[name])).size
    expect(memories('transient')).toBe(1)
    expect(memories('large')).toBe(rounds.length)
    // They may start at the end of a chunk.
    expect(memories('small')).toBeLessThanOrEqual(2)
  })

  it('of hundreds of kilobytes reuse one buffer', () => {
    const large = new Uint8Array(500_000)
    const memories = Array.from({ length: 10 }, () => transientRlp([large, [large]], undefined).buffer)
    expect(new Set(memories).size).toBe(1)
    expect(encodeRlp([large, [large]]).buffer).not.toBe(memories[0])
    // Rare lengths are not kept.
    const rare = new Uint8Array(5_000_000)
    expect(new Set([rare, rare].map((bytes) => transientRlp(bytes, undefined).buffer)).size).toBe(2)
    expect(transientRlp([large, [large]], undefined).buffer).toBe(memories[0])
  })

  it('larger than the reused buffer allocate one buffer, not one for each part', () => {
    const part = new Uint8Array(1_000)
    const memories = new Set<ArrayBufferLike>()
    startTransient()
    for (let count = 0; count < 12_000 && memories.size < 12; count++) {
      pushEncoded(part)
      memories.add(encoded().buffer)
    }
    expect(encodedLength()).toBe(12_000_000)
  })

  it('cross the boundaries of the length forms', () => {
    for (const length of [0, 1, 55, 56, 255, 256, 65_535, 65_536]) {
      const bytes = new Uint8Array(length).fill(0xaa)
      expect(decodeRlp(encodeRlp(bytes))).toEqual(bytes)
      expect(encodeRlp([bytes])).toHaveLength(rlpLength(encodeRlp(bytes).length))
    }
  })

  it.each([
    ['nothing', '0x'],
    ['a byte that needs no prefix', '0x8105'],
    ['a short length in the long form', `0xb801${'aa'}`],
    ['a short list in the long form', '0xf800'],
    ['a length with a leading zero', `0xb90038${'aa'.repeat(56)}`],
    ['content that is cut off', '0x83aabb'],
    ['a length that is cut off', '0xb9ff'],
    ['a length of 8 bytes', '0xbfffffffffffffffff'],
    ['a list whose item is too long', '0xc283aabb'],
    ['bytes behind the end', '0x0102'],
  ])('reject %s', (_, hex) => {
    expect(() => decodeRlp(hexToBytes(hex))).toThrow(RlpError)
  })

  it('reject deep nesting instead of exhausting the stack', () => {
    expect(() => decodeRlp(encodeRlp(nested(MAX_RLP_DEPTH)))).not.toThrow()
    expect(() => decodeRlp(encodeRlp(nested(MAX_RLP_DEPTH + 1)))).toThrow(/nested deeper/)
    // Each prefix has a length of 4 bytes, so that 100,000 lists really nest.
    const deep = new Uint8Array(100_000_000)
    const view = new DataView(deep.buffer)
    for (let offset = 0; offset < 500_000; offset += 5) {
      deep[offset] = 0xfb
      view.setUint32(offset + 1, deep.length - offset - 5)
    }
    expect(() => decodeRlp(deep)).toThrow(/nested deeper/)
  })

  it('accept exactly the bytes that encode an item', () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 40 }), (bytes) => {
        let decoded: RlpItem
        try {
          decoded = decodeRlp(bytes)
        } catch (error) {
          expect(error).toMatchObject({ code: 'INVALID_RLP' })
          return
        }
        expect(encodeRlp(decoded)).toEqual(bytes)
      }),
      { numRuns: 2_000 },
    )
  })
})

/** `depth` nested lists. */
function nested(depth: number): RlpItem {
  let item: RlpItem = []
  for (let index = 1; index < depth; index++) item = [item]
  return item
}
