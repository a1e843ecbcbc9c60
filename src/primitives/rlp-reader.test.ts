import fc from 'fast-check'
import { expect, it } from 'vitest'
import { bytesToHex } from './hex.ts'
import { bigintToBytes } from './quantity.ts'
import { decodeRlp, encodeRlp, RlpError, type RlpItem } from './rlp.ts'
import { RlpReader } from './rlp-reader.ts'

const strings = fc.uint8Array({ maxLength: 70 })
const { item: items } = fc.letrec<{ item: RlpItem }>((tie) => ({
  item: fc.oneof({ maxDepth: 4 }, strings, fc.array(tie('item'), { maxLength: 5 })),
}))

/** The reader's result for an item of the kind of `like`. */
function readLike(reader: RlpReader, like: RlpItem): RlpItem {
  if (like instanceof Uint8Array) return Uint8Array.from(reader.bytes('bytes'))
  const end = reader.list('a list')
  const read = like.map((member) => readLike(reader, member))
  reader.leave(end, 'a list')
  return read
}

function plain(item: RlpItem): unknown {
  return item instanceof Uint8Array ? bytesToHex(item) : item.map(plain)
}

it('agrees with decodeRlp, and skips any item', () => {
  fc.assert(
    fc.property(items, strings, (item, last) => {
      const reader = new RlpReader(encodeRlp([item, item, item, last]))
      const end = reader.list('all')
      expect(plain(readLike(reader, item))).toEqual(plain(item))
      reader.skip()
      expect(plain(reader.item())).toEqual(plain(item))
      expect(reader.hex('last', last.length)).toBe(bytesToHex(last))
      reader.leave(end, 'all')
    }),
  )
})

it('rejects the same input as decodeRlp', () => {
  fc.assert(
    fc.property(fc.uint8Array({ minLength: 1, maxLength: 12 }), (bytes) => {
      let isString = false
      try {
        isString = decodeRlp(bytes) instanceof Uint8Array
      } catch {
        // Non-canonical or truncated.
      }
      const read = () => {
        const reader = new RlpReader(bytes)
        reader.bytes('a string')
        reader.leave(bytes.length, 'all')
      }
      if (isString) expect(read).not.toThrow()
      else expect(read).toThrow(RlpError)
    }),
  )
})

it('returns safe integers and rejects larger ones', () => {
  const number = (value: bigint) => new RlpReader(encodeRlp(bigintToBytes(value))).number('it')
  fc.assert(
    fc.property(fc.maxSafeNat(), (value) => {
      expect(number(BigInt(value))).toBe(value)
    }),
  )
  expect(() => number(2n ** 53n)).toThrow('it is above 2^53')
  expect(() => number(2n ** 2_000n)).toThrow('it is above 2^53')
  expect(() => new RlpReader(encodeRlp(Uint8Array.of(0, 1))).number('it')).toThrow('leading zero bytes')
})

it('names the expected type in its error', () => {
  expect(() => new RlpReader(encodeRlp([])).bytes('data')).toThrow('data is bytes, not a list')
  expect(() => new RlpReader(encodeRlp(new Uint8Array(3))).list('topics')).toThrow('topics is a list')
  expect(() => new RlpReader(encodeRlp(new Uint8Array(3))).hex('a hash', 32)).toThrow('a hash is 32 bytes, got 3')
})
