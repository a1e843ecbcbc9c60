import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { encodeRlp } from '../../primitives/rlp.ts'
import { encodeLeafIn } from './leaf-encoding.ts'
import { compactPath } from './nibbles.ts'

const paths = fc.array(fc.constantFrom(...'0123456789abcdef'), { maxLength: 70 }).map((digits) => digits.join(''))
const values = fc.oneof(
  fc.uint8Array({ minLength: 1, maxLength: 1 }),
  fc.uint8Array({ maxLength: 60 }),
  fc.uint8Array({ minLength: 100, maxLength: 300 }),
  fc.uint8Array({ minLength: 1_900, maxLength: 2_100 }),
)

describe('encodeLeafIn', () => {
  it('encodes a leaf as defined', () => {
    fc.assert(
      fc.property(paths, values, (path, value) => {
        expect(Uint8Array.from(encodeLeafIn(path, value))).toEqual(encodeRlp([compactPath(path, true), value]))
      }),
      { numRuns: 500 },
    )
  })
})
