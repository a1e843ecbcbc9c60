import { expect, test } from 'vitest'
import type { Limit } from '../primitives/limit.ts'
import { DEFAULT_POOL_OPTIONS, POOL_LIMITS } from './options.ts'

const rows = Object.entries(POOL_LIMITS) as [string, Limit<number> | Limit<bigint>][]

test.each(rows)('the default of %s is in its range', (_, { fallback, minimum, maximum }) => {
  expect(fallback >= minimum).toBe(true)
  expect(maximum === undefined || fallback <= maximum).toBe(true)
})

test('only the bytes of the pool and the lifetime of a transaction have no upper bound', () => {
  const unbounded = rows.filter(([, { maximum }]) => maximum === undefined).map(([name]) => name)
  expect(unbounded).toEqual(['maxPoolBytes', 'transactionLifetimeMs'])
})

test('limits may be 0 only where that switches something off', () => {
  const zero = rows.filter(([, { minimum }]) => Number(minimum) === 0).map(([name]) => name)
  expect(zero).toEqual(['maxQueuedPerSender', 'maxDropReasons', 'replacementBumpPercent', 'minimumTipWei', 'feeCapWei'])
})

test('transactions expire after three hours, as in go-ethereum, and after a second at the earliest', () => {
  expect(DEFAULT_POOL_OPTIONS.transactionLifetimeMs).toBe(10_800_000)
  expect(POOL_LIMITS.transactionLifetimeMs.minimum).toBe(1_000)
})

test('a signed transaction may have 128 KiB, and be configured to have 4 MiB', () => {
  const { fallback, maximum } = POOL_LIMITS.maxTransactionBytes
  expect([fallback, maximum]).toEqual([131_072, 4_194_304])
})
