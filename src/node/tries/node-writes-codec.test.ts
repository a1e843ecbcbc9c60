import fc from 'fast-check'
import { expect, test } from 'vitest'
import { decodeNodeWrites, encodeNodeWrites } from './node-writes-codec.ts'

const key = fc.uint8Array({ maxLength: 97 })
const node = fc.uint8Array({ maxLength: 600 })

const plain = (bytes: Uint8Array) => [...bytes]

test('property: round-trips writes, and its puts can be iterated twice', () => {
  fc.assert(
    fc.property(fc.array(key), fc.array(key), fc.array(fc.tuple(key, node)), (deletedPrefixes, deletes, puts) => {
      const decoded = decodeNodeWrites(encodeNodeWrites({ deletedPrefixes, deletes, puts }))
      expect(decoded.deletedPrefixes.map(plain)).toEqual(deletedPrefixes.map(plain))
      expect(decoded.deletes.map(plain)).toEqual(deletes.map(plain))
      for (let time = 0; time < 2; time++) {
        expect([...decoded.puts].map((put) => put.map(plain))).toEqual(puts.map((put) => put.map(plain)))
      }
    }),
  )
})
