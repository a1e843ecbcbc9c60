import { expect, test } from 'vitest'
import { signBlobTransfer } from '../../test/support/blob-transactions.ts'
import { signTransfer } from '../../test/support/transfers.ts'
import { DEFAULT_POOL_OPTIONS } from './options.ts'
import { replacement } from './replacement.ts'

const waiting = signTransfer({ nonce: 0n, maxFeePerGas: 1_000n, maxPriorityFeePerGas: 100n })

test.each([
  [1_100n, 110n, 'replaces'],
  [1_099n, 110n, 'underpriced'],
  [1_100n, 109n, 'underpriced'],
  [5_000n, 100n, 'underpriced'],
  [1_000n, 100n, 'underpriced'],
])('fee cap %s and tip %s over 1000 and 100: %s', (maxFeePerGas, maxPriorityFeePerGas, kind) => {
  const candidate = signTransfer({ nonce: 0n, maxFeePerGas, maxPriorityFeePerGas })
  expect(replacement(waiting, candidate, DEFAULT_POOL_OPTIONS).kind).toBe(kind)
})

test('a fee of zero is raised by at least one wei', () => {
  const free = signTransfer({ nonce: 0n, maxFeePerGas: 1_000n, maxPriorityFeePerGas: 0n })
  const same = signTransfer({ nonce: 0n, maxFeePerGas: 2_000n, maxPriorityFeePerGas: 0n })
  expect(replacement(free, same, DEFAULT_POOL_OPTIONS)).toEqual({
    kind: 'underpriced',
    requiredMaxFeePerGas: 1_100n,
    requiredMaxPriorityFeePerGas: 1n,
  })
})

test.each([
  ['twice all fees', { maxFeePerGas: 2_000n, maxPriorityFeePerGas: 200n, maxFeePerBlobGas: 20n }, 'replaces'],
  [
    'less than twice the fee cap',
    { maxFeePerGas: 1_999n, maxPriorityFeePerGas: 200n, maxFeePerBlobGas: 20n },
    'underpriced',
  ],
  [
    'less than twice the blob fee',
    { maxFeePerGas: 2_000n, maxPriorityFeePerGas: 200n, maxFeePerBlobGas: 19n },
    'underpriced',
  ],
])('a blob transaction that offers %s: %s', (_, fees, kind) => {
  const blobs = signBlobTransfer({
    maxFeePerGas: 1_000n,
    maxPriorityFeePerGas: 100n,
    maxFeePerBlobGas: 10n,
  }).transaction
  expect(replacement(blobs, signBlobTransfer(fees).transaction, DEFAULT_POOL_OPTIONS).kind).toBe(kind)
})

test('the price bump of blobs applies when only one of the two transactions has blobs', () => {
  const fees = { maxFeePerGas: 1_999n, maxPriorityFeePerGas: 199n }
  const { transaction: blobs } = signBlobTransfer({ maxFeePerGas: 1_000n, maxPriorityFeePerGas: 100n })

  expect(replacement(waiting, signBlobTransfer(fees).transaction, DEFAULT_POOL_OPTIONS).kind).toBe('underpriced')
  expect(replacement(blobs, signTransfer({ nonce: 0n, ...fees }), DEFAULT_POOL_OPTIONS).kind).toBe('underpriced')
})

test('a blob transaction that replaces one without blobs may have any blob fee', () => {
  const candidate = signBlobTransfer({ maxFeePerGas: 2_000n, maxPriorityFeePerGas: 200n, maxFeePerBlobGas: 0n })
  expect(replacement(waiting, candidate.transaction, DEFAULT_POOL_OPTIONS).kind).toBe('replaces')
})
