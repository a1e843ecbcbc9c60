import { describe, expect, test } from 'vitest'
import {
  ageText,
  bigintOf,
  clockText,
  compact,
  decimalOf,
  durationText,
  gasPriceText,
  grouped,
  numberOf,
  percentOf,
  shortHex,
  timeText,
  unitText,
} from './amount.ts'

describe('amounts', () => {
  test('have a unit in the singular for one', () => {
    expect(['1', '10', '15'].map((units) => unitText(BigInt(units), 1, 'share'))).toEqual([
      '0.1 shares',
      '1 share',
      '1.5 shares',
    ])
  })

  test('are exact beyond the range of doubles', () => {
    expect(decimalOf(123_456_789_012_345_678_901_234_567n, 18)).toBe('123,456,789.012345678901234567')
    expect(decimalOf(2n ** 256n - 1n, 0)).toBe(grouped(2n ** 256n - 1n))
    expect(bigintOf(`0x${'f'.repeat(64)}`)).toBe(2n ** 256n - 1n)
  })

  test.each([
    [0n, 18, '0'],
    [1n, 18, '0.000000000000000001'],
    [10n ** 18n, 18, '1'],
    [-1_500_000n, 6, '-1.5'],
    [42n, 0, '42'],
  ])('%s with %s decimals is %s', (units, decimals, text) => {
    expect(decimalOf(units, decimals)).toBe(text)
  })

  test.each([undefined, null, '', '0x', '0xzz', '1.5', 1.5, {}])('%s is no quantity', (value) => {
    expect(bigintOf(value)).toBeUndefined()
  })

  test('a height that a double cannot hold is undefined', () => {
    expect(numberOf('0x20000000000001')).toBeUndefined()
    expect(numberOf('0x10')).toBe(16)
  })

  test('prices of gas are in gwei unless they are tiny', () => {
    expect([0n, 7n, 1_000_000n, 1_500_000_000n].map(gasPriceText)).toEqual([
      '0 gwei',
      '7 wei',
      '0.001 gwei',
      '1.5 gwei',
    ])
  })

  test('compact numbers have three digits', () => {
    expect([0, 7, 999, 1_000, 12_345, 999_999, 12_345_678, 2.5].map(compact)).toEqual([
      '0',
      '7',
      '999',
      '1k',
      '12.3k',
      '1M',
      '12.3M',
      '2.5',
    ])
  })

  test('percentages of nothing are zero', () => {
    expect([percentOf(1n, 3n), percentOf(2n, 3n), percentOf(5n, 0n)]).toEqual([33.33, 66.67, 0])
  })
})

describe('times', () => {
  test('have at most two units', () => {
    expect([0, 59_400, 95_000, 3_600_000, 90_061_000].map(durationText)).toEqual([
      '0 s',
      '59 s',
      '1 min 35 s',
      '1 h',
      '1 d 1 h',
    ])
  })

  test('a block of the future is ahead, not negative', () => {
    expect(ageText(100n, 90_000)).toBe('in 10 s')
    expect(ageText(100n, 130_000)).toBe('30 s ago')
  })

  test('blocks of one second differ by their milliseconds', () => {
    expect([clockText(1n), timeText(1n, 1_200n), clockText(1n, 1_400n)]).toEqual([
      '00:00:01',
      '1970-01-01 00:00:01.200 UTC',
      '00:00:01.400',
    ])
  })

  test('a timestamp beyond the range of dates stays a number', () => {
    expect(timeText(0n)).toBe('1970-01-01 00:00:00 UTC')
    expect([timeText(2n ** 63n), clockText(2n ** 63n)]).toEqual(['9223372036854775808 s', '9223372036854775808 s'])
  })
})

test('shortHex keeps both ends, and short values whole', () => {
  expect(shortHex(`0x${'ab'.repeat(20)}`)).toBe('0xababab…ababab')
  expect(shortHex('0xabcdef')).toBe('0xabcdef')
})
