import fc from 'fast-check'
import { expect, it } from 'vitest'
import { decodePosting, encodePosting } from './log-postings.ts'

it('round-trips a posting, with a byte for each index when they are close', () => {
  const positions = fc.uniqueArray(fc.oneof(fc.nat(300), fc.nat(2 ** 31 - 1)), { minLength: 1 })
  fc.assert(
    fc.property(positions, (unordered) => {
      const growing = unordered.sort((a, b) => a - b)
      expect(decodePosting(encodePosting(growing))).toEqual(growing)
    }),
  )
  expect(encodePosting([0, 1, 2, 129, 257])).toEqual(Uint8Array.of(0, 1, 1, 127, 0x80, 1))
})
