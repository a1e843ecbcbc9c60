import type { PoolView } from './types.ts'

/** An empty pool. */
export const NO_TRANSACTIONS: PoolView = Object.freeze({
  size: 0,
  get: () => undefined,
  nextNonce: (_sender: unknown, nonce: bigint) => nonce,
  bySender: () => [],
  senders: () => [],
  dropReason: () => undefined,
})
