import fc from 'fast-check'
import { expect, test } from 'vitest'
import { GAS_LIMIT_BOUND, MIN_GAS_LIMIT, nextGasLimit } from './gas-limit.ts'

test('moves towards the target as far as allowed', () => {
  expect(nextGasLimit(200_000_000n, 60_000_000n)).toBe(199_804_689n)
  expect(nextGasLimit(60_000_000n, 200_000_000n)).toBe(60_058_592n)
  expect(nextGasLimit(60_000_000n, 60_000_001n)).toBe(60_000_001n)
})

test('reaches the target in steps below the bound', () => {
  const limit = fc.bigInt(MIN_GAS_LIMIT, 2n ** 40n)
  fc.assert(
    fc.property(limit, limit, (parent, target) => {
      const next = nextGasLimit(parent, target)
      const step = next > parent ? next - parent : parent - next
      expect(step).toBeLessThan(parent / GAS_LIMIT_BOUND)
      expect(next === target || next > parent === target > parent).toBe(true)
    }),
  )
})
