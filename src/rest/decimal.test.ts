import fc from 'fast-check'
import { expect, test } from 'vitest'
import { exactDecimal, nearestDouble } from './decimal.ts'

test.each([
  [0n, 18, '0'],
  [1n, 18, '0.000000000000000001'],
  [1_500_000n, 6, '1.5'],
  [2_500_000_125_000n, 6, '2500000.125'],
  [7n, 0, '7'],
  [10n ** 18n, 18, '1'],
])('%s with %s decimals is %s', (amount, decimals, text) => {
  expect(exactDecimal(amount, decimals)).toBe(text)
})

test.each([
  // Above 2^53 doubles are even: the tie goes to the even mantissa.
  [2n ** 53n + 1n, 0, 2 ** 53],
  [2n ** 53n + 3n, 0, 2 ** 53 + 4],
  [2n ** 256n - 1n, 0, 2 ** 256],
  [2n ** 256n - 1n, 77, 1.1579208923731619],
  // A naive Number(amount) / 1e18 may differ in the last place.
  [123_456_789_012_345_678n, 18, 0.12345678901234568],
])('%s with %s decimals rounds once, to %s', (amount, decimals, value) => {
  expect(nearestDouble(amount, decimals)).toBe(value)
})

test('no double is nearer to the exact value', () => {
  fc.assert(
    fc.property(fc.bigInt(0n, 2n ** 256n - 1n), fc.integer({ min: 0, max: 77 }), (amount, decimals) => {
      const value = nearestDouble(amount, decimals)
      const error = distance(value, amount, decimals)
      for (const neighbour of neighbours(value)) {
        expect(distance(neighbour, amount, decimals) >= error).toBe(true)
      }
    }),
    { numRuns: 2_000 },
  )
})

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
