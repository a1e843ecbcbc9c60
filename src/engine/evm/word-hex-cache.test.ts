import fc from 'fast-check'
import { expect, it } from 'vitest'
import { bytesToHex } from '../../primitives/hex.ts'
import { WordHexCache } from './word-hex-cache.ts'

it('returns the hex of every word, repeatedly and after other words', () => {
  const cache = new WordHexCache()
  const number = fc.oneof(fc.nat(2), fc.nat(0xffff_ffff), fc.constantFrom(0x8000_0000, 0xffff_ffff))
  const words = fc.array(fc.array(number, { minLength: 8, maxLength: 8 }), { minLength: 1, maxLength: 40 })
  fc.assert(
    fc.property(words, (list) => {
      const numbers = Uint32Array.from(list.flat())
      const bytes = new Uint8Array(numbers.buffer)
      for (let index = 0; index < 2 * list.length; index++) {
        const at = 32 * (index % list.length)
        expect(cache.hex(numbers, bytes, at)).toBe(bytesToHex(bytes.subarray(at, at + 32)))
      }
    }),
    { numRuns: 500 },
  )
})

it('returns the right string for words in every bucket', () => {
  const cache = new WordHexCache()
  const numbers = new Uint32Array(8)
  for (let count = 0; count < 20_000; count++) {
    numbers.fill(Math.imul(count, 0x9e3779b1), count % 8)
    const bytes = new Uint8Array(numbers.buffer)
    expect(cache.hex(numbers, bytes, 0)).toBe(bytesToHex(bytes))
  }
})
