import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { parseSplitRatio, splitMultiplier } from './terms/split-ratio.ts'
import { formatTime, splitTime } from './terms/split-time.ts'

const ONE = 10n ** 18n

describe('a split', () => {
  test.each([
    ['2:1', ONE, 2n * ONE],
    ['1:4', ONE, ONE / 4n],
    ['3:2', 2n * ONE, 3n * ONE],
    ['10234:10000', ONE, 1_023_400_000_000_000_000n],
  ])('a split %s of multiplier %i gives %i', (text, before, after) => {
    expect(splitMultiplier(before, parseSplitRatio(text), false)).toBe(after)
  })

  test('rejects a multiplier with more than 18 decimals and names the value that --round uses', () => {
    expect(() => splitMultiplier(ONE, parseSplitRatio('1:3'), false)).toThrow('--round takes 0.333333333333333333')
    expect(splitMultiplier(ONE, parseSplitRatio('1:3'), true)).toBe(333_333_333_333_333_333n)
  })

  test('rejects a multiplier of zero, rounded or not', () => {
    expect(() => splitMultiplier(1n, parseSplitRatio('1:2'), true)).toThrow('less than the 18 decimals')
  })

  test('the reverse split restores an exact multiplier', () => {
    const part = fc.integer({ min: 1, max: 1_000_000 })
    fc.assert(
      fc.property(fc.bigInt({ min: 1n, max: 2n ** 100n }), part, part, (multiplier, a, b) => {
        const before = multiplier * BigInt(b)
        const after = splitMultiplier(before, parseSplitRatio(`${a}:${b}`), false)
        expect(splitMultiplier(after, parseSplitRatio(`${b}:${a}`), false)).toBe(before)
      }),
    )
  })

  test.each(['2', '2:0', '0:1', '2/1', '2:1:1', '-2:1', '1.5:1', '02:1', ':', ''])('rejects %s as a ratio', (text) => {
    expect(() => parseSplitRatio(text)).toThrow('a split is NEW:OLD')
  })
})

describe('the time of a split', () => {
  const NOW = Date.UTC(2026, 10, 20) / 1000
  const at = (text: string) => splitTime({ at: text, in: undefined }, NOW)
  const later = (text: string) => splitTime({ at: undefined, in: text }, NOW)

  test.each([
    ['2026-12-01T00:00:00Z', Date.UTC(2026, 11, 1)],
    ['2026-12-01T00:00Z', Date.UTC(2026, 11, 1)],
    ['2026-12-01T09:30:00-05:00', Date.UTC(2026, 11, 1, 14, 30)],
  ])('parses --at %s', (text, time) => expect(at(text)).toBe(time / 1000))

  test.each([
    ['90s', 90],
    ['2m', 120],
    ['6h', 21_600],
    ['3d', 259_200],
  ])('parses --in %s', (text, seconds) => expect(later(text)).toBe(NOW + seconds))

  test.each(['2026-12-01', '2026-12-01T00:00:00', '2026-13-01T00:00:00Z', 'tomorrow', '1796083200'])(
    'rejects --at %s without offset or valid date',
    (text) => expect(() => at(text)).toThrow('--at wants a date'),
  )

  test.each(['2027-02-30T00:00:00Z', '2027-02-29T12:00:00Z', '2027-04-31T23:00:00-05:00'])(
    'rejects --at %s instead of moving it to the next month',
    (text) => expect(() => at(text)).toThrow('--at wants a date'),
  )

  test('accepts a leap day for --at', () => {
    expect(at('2028-02-29T00:00:00Z')).toBe(Date.UTC(2028, 1, 29) / 1000)
  })

  test.each(['2', '2w', '-2m', '1.5h', ''])('rejects --in %s', (text) =>
    expect(() => later(text)).toThrow('--in wants a whole number'),
  )

  test('rejects a time in the past', () => {
    expect(() => at('2026-11-20T00:00:00Z')).toThrow('not after the newest block')
    expect(() => later('0s')).toThrow('not after the newest block')
  })

  test('rejects both flags together and none', () => {
    expect(() => splitTime({ at: undefined, in: undefined }, NOW)).toThrow('say when')
    expect(() => splitTime({ at: '2026-12-01T00:00:00Z', in: '2m' }, NOW)).toThrow('say when')
  })

  test('formats a time beyond the range of dates as a Unix time', () => {
    expect(formatTime(2_051_222_400n)).toBe('2035-01-01T00:00:00Z')
    expect(formatTime(2n ** 64n - 1n)).toBe('Unix time 18446744073709551615')
  })
})
