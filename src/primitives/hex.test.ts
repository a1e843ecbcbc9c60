import fc from 'fast-check'
import { expect, test } from 'vitest'
import { bytesToHex, hexToBytes, InvalidHexError, isHexBytes } from './hex.ts'

test('round-trips bytes of any length and digits of any case', () => {
  fc.assert(
    fc.property(fc.uint8Array({ maxLength: 80 }), fc.boolean(), (bytes, isUpper) => {
      const hex = bytesToHex(bytes)
      expect(new Uint8Array(hexToBytes(isUpper ? `0x${hex.slice(2).toUpperCase()}` : hex))).toEqual(bytes)
    }),
  )
})

test('rejects text that is not whole bytes, at any length', () => {
  const digit = fc.constantFrom(...'0123456789abcdefABCDEF'.split(''))
  // The low byte of U+0130 is that of a digit.
  const other = fc.constantFrom('g', 'x', ' ', '/', ':', '@', '`', '\u0130', '\u00e9', '\u{1f600}', '')
  const text = fc.array(fc.oneof({ weight: 40, arbitrary: digit }, { weight: 1, arbitrary: other }), { maxLength: 150 })
  const prefix = fc.oneof({ weight: 8, arbitrary: fc.constant('0x') }, fc.constantFrom('', '0', '0X', 'x0', ' 0x'))
  fc.assert(
    fc.property(prefix, text, (front, rest) => {
      const hex = front + rest.join('')
      if (isHexBytes(hex)) expect(bytesToHex(hexToBytes(hex))).toBe(hex.toLowerCase())
      else expect(() => hexToBytes(hex)).toThrow(InvalidHexError)
    }),
    { numRuns: 2_000 },
  )
})
