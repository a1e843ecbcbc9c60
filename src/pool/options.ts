import type { PoolOrder } from './candidates.ts'

export interface PoolOptions {
  /** Maximum number of transactions; above it, those with the lowest tips are evicted. */
  readonly maxPoolTransactions: number
  /** Maximum encoded bytes of all transactions, with blobs and predicates; above it, some are evicted likewise. */
  readonly maxPoolBytes: number
  /** Maximum number of transactions of one sender. */
  readonly maxTransactionsPerSender: number
  /** Maximum number of queued transactions (behind a nonce gap) of one sender. */
  readonly maxQueuedPerSender: number
  /** Minimum tip in wei per gas. */
  readonly minimumTip: bigint
  /** Minimum price bump of a replacement in percent, for both fee fields. */
  readonly replacementBumpPercent: bigint
  /** Price bump of blob transactions, which are expensive to propagate. */
  readonly blobReplacementBumpPercent: bigint
  /** Maximum encoded bytes of a transaction, without its blob sidecar. */
  readonly maxTransactionBytes: number
  /** Milliseconds that a transaction may stay in the pool, pending or queued. */
  readonly transactionLifetimeMs: number
  /** Maximum fee of a transaction in wei; 0: no cap. */
  readonly feeCap: bigint
  /** Whether the sender's balance and code are checked. A used nonce is rejected in any case. */
  readonly judgesSenders: boolean
  /** Order in which executable transactions enter blocks. */
  readonly order: PoolOrder
  /** Number of dropped transactions whose reason is remembered. */
  readonly maxDropReasons: number
}

/** go-ethereum's values, with room for the bursts of one test account. */
export const DEFAULT_POOL_OPTIONS: PoolOptions = {
  maxPoolTransactions: 10_240,
  maxPoolBytes: 64 * 1024 * 1024,
  maxTransactionsPerSender: 1_024,
  maxQueuedPerSender: 64,
  minimumTip: 0n,
  replacementBumpPercent: 10n,
  blobReplacementBumpPercent: 100n,
  maxTransactionBytes: 128 * 1024,
  transactionLifetimeMs: 3 * 60 * 60 * 1000,
  feeCap: 0n,
  judgesSenders: true,
  order: 'fees',
  maxDropReasons: 10_240,
}
