import { expect, test } from 'vitest'
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
