import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { formatDecimal } from '../../../primitives/decimal.ts'
import { MAX_UINT256 } from '../../../primitives/quantity.ts'
import { parseDecimal } from './decimal.ts'

const decimals = fc.integer({ min: 0, max: 77 })
const units = fc.bigInt({ min: 0n, max: MAX_UINT256 })

test('parses what it formatted, for any amount and number of decimals', () => {
  fc.assert(
    fc.property(units, decimals, (value, places) => {
      expect(parseDecimal(formatDecimal(value, places), places, 'it')).toBe(value)
    }),
  )
})

test('ignores leading and trailing zeros', () => {
  fc.assert(
    fc.property(units, decimals, fc.nat(5), fc.nat(5), (value, places, front, end) => {
      const text = formatDecimal(value, places)
      const point = text.includes('.') ? '' : '.0'
      expect(parseDecimal(`${'0'.repeat(front)}${text}${point}${'0'.repeat(end)}`, places, 'it')).toBe(value)
    }),
  )
})

test('rejects an excess decimal digit instead of rounding', () => {
  fc.assert(
    fc.property(fc.nat(), decimals, fc.integer({ min: 1, max: 9 }), (whole, places, last) => {
      const text = `${whole}.${'0'.repeat(places)}${last}`
      expect(() => parseDecimal(text, places, 'the amount')).toThrow(`at most ${places} can be kept`)
    }),
  )
})

test('rejects any other text with INVALID_INPUT', () => {
  fc.assert(
    fc.property(fc.string(), decimals, (text, places) => {
      fc.pre(!/^\d+(\.\d+)?$/.test(text))
      expect(() => parseDecimal(text, places, 'the amount')).toThrow(expect.objectContaining({ code: 'INVALID_INPUT' }))
    }),
  )
})

describe('in smallest units', () => {
  test.each([
    ['1000.5', 6, 1_000_500_000n],
    ['0', 18, 0n],
    ['0.000001', 6, 1n],
    ['1.50', 1, 15n],
    ['115792089237316195423570985008687907853269984665640564039457584007913129639935', 0, MAX_UINT256],
  ])('parses %s at %i decimals as %i', (text, places, value) => {
    expect(parseDecimal(text, places, 'it')).toBe(value)
  })

  test.each(['-1', '+1', '1e3', '1,000', '.5', '5.', '0x10', ' 1', '1_000', 'NaN', '1\n', '٣'])(
    'rejects %s',
    (text) => {
      expect(() => parseDecimal(text, 6, 'the amount')).toThrow('the amount must be a decimal number such as 1000.5')
    },
  )

  test('rejects an amount above 2^256 - 1', () => {
    expect(() => parseDecimal(String(MAX_UINT256), 1, 'the amount')).toThrow('larger than a token can count')
  })
})
