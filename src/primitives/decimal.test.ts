import fc from 'fast-check'
import { expect, test } from 'vitest'
import { formatDecimal, nearestDouble } from './decimal.ts'

test.each([
  [0n, 18, '0'],
  [1n, 18, '0.000000000000000001'],
  [1_500_000n, 6, '1.5'],
  [2_500_000_125_000n, 6, '2500000.125'],
  [7n, 0, '7'],
  [10n ** 18n, 18, '1'],
  [0n, 255, '0'],
  [1n, 255, `0.${'1'.padStart(255, '0')}`],
  [2n ** 256n - 1n, 77, '1.15792089237316195423570985008687907853269984665640564039457584007913129639935'],
])('%s with %s decimals is %s', (amount, decimals, text) => {
  expect(formatDecimal(amount, decimals)).toBe(text)
})

test.each([
  // Above 2^53 doubles are even: the tie goes to the even mantissa.
  [2n ** 53n + 1n, 0, 2 ** 53],
  [2n ** 53n + 3n, 0, 2 ** 53 + 4],
  [0n, 18, 0],
  [0n, 255, 0],
  [2n ** 53n, 0, 2 ** 53],
  [2n ** 53n - 1n, 0, 2 ** 53 - 1],
  [2n ** 53n + 1n, 18, 0.009007199254740993],
  // A non-zero digit far behind half of the last place: above the tie, so it rounds up.
  [(2n ** 53n + 1n) * 10n ** 18n + 1n, 18, 2 ** 53 + 2],
  [(2n ** 53n + 1n) * 10n ** 18n - 1n, 18, 2 ** 53],
  [1n, 255, 1e-255],
  [2n ** 256n - 1n, 255, 1.157920892373162e-178],
  [2n ** 256n - 1n, 0, 2 ** 256],
  [2n ** 256n - 1n, 77, 1.1579208923731619],
  // A naive Number(amount) / 1e18 may differ in the last place.
  [123_456_789_012_345_678n, 18, 0.12345678901234568],
])('%s with %s decimals rounds once, to %s', (amount, decimals, value) => {
  expect(nearestDouble(amount, decimals)).toBe(value)
})

/** Amounts of any size, and next to powers of two and of ten, where rounding is decided. */
const AMOUNT = fc.oneof(
  fc.bigInt(0n, 2n ** 256n - 1n),
  fc.tuple(fc.nat(255), fc.integer({ min: -3, max: 3 })).map(([bits, by]) => clamped(2n ** BigInt(bits) + BigInt(by))),
  fc
    .tuple(fc.nat(76), fc.integer({ min: -3, max: 3 }))
    .map(([power, by]) => clamped(10n ** BigInt(power) + BigInt(by))),
  fc.tuple(fc.bigInt(2n ** 52n, 2n ** 54n), fc.nat(200)).map(([odd, zeros]) => (2n * odd + 1n) << BigInt(zeros)),
)

test('returns the double nearest to the exact value', () => {
  fc.assert(
    fc.property(AMOUNT, fc.oneof(fc.constantFrom(0, 18, 77, 255), fc.nat(255)), (amount, decimals) => {
      const value = nearestDouble(amount, decimals)
      const error = distance(value, amount, decimals)
      for (const neighbour of neighbours(value)) {
        expect(distance(neighbour, amount, decimals) >= error).toBe(true)
      }
    }),
    { numRuns: 2_000 },
  )
})

test('an exact decimal round-trips', () => {
  fc.assert(
    fc.property(AMOUNT, fc.nat(255), (amount, decimals) => {
      const [whole = '', fraction = ''] = formatDecimal(amount, decimals).split('.')
      expect(BigInt(whole + fraction.padEnd(decimals, '0'))).toBe(amount)
      expect(formatDecimal(amount, decimals)).toMatch(/^(0|[1-9][0-9]*)(\.[0-9]*[1-9])?$/)
    }),
  )
})

function clamped(amount: bigint): bigint {
  return amount < 0n ? 0n : amount
}

/** |value - amount / 10^decimals| in units of 10^-decimals x 2^-1074, an exact integer. */
function distance(value: number, amount: bigint, decimals: number): bigint {
  const unit = 1n << 1074n
  const difference = integerOf(value) * 10n ** BigInt(decimals) - amount * unit
  return difference < 0n ? -difference : difference
}

/** value x 2^1074: every finite double is an integer of that unit. */
function integerOf(value: number): bigint {
  const view = new DataView(new ArrayBuffer(8))
  view.setFloat64(0, value)
  const bits = view.getBigUint64(0)
  const exponent = bits >> 52n
  const mantissa = bits & ((1n << 52n) - 1n)
  return exponent === 0n ? mantissa : (mantissa | (1n << 52n)) << (exponent - 1n)
}

function neighbours(value: number): number[] {
  const view = new DataView(new ArrayBuffer(8))
  view.setFloat64(0, value)
  const bits = view.getBigUint64(0)
  return [bits + 1n, ...(bits > 0n ? [bits - 1n] : [])].map((neighbour) => {
    view.setBigUint64(0, neighbour)
    return view.getFloat64(0)
  })
}
