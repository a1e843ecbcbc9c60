export interface PoolOptions {
  /** Waiting transactions in all; beyond it the worst paid leave. */
  readonly maxTransactions: number
  /** Bytes of all waiting transactions, as they were sent; the same holds beyond it. */
  readonly maxBytes: number
  /** Waiting transactions of one sender. */
  readonly maxPerSender: number
  /** The queued ones among them: those behind a nonce gap. */
  readonly maxQueuedPerSender: number
  /** Wei per gas that must go to the fee recipient at least. */
  readonly minimumTip: bigint
  /** How much higher both fee fields of a replacement must be (contract: at least 10). */
  readonly replacementBumpPercent: bigint
  /** Price bump of blob transactions, which are expensive to propagate. */
  readonly blobReplacementBumpPercent: bigint
  /** Bytes of one signed transaction at most, a blob sidecar not counted. */
  readonly maxTransactionSize: number
  /** How long a transaction may wait, ready or not. */
  readonly lifetimeMs: number
  /** Wei that a transaction may cost in fees at most; 0: no cap. */
  readonly feeCap: bigint
  /** Whether a sender's account is judged: what it can pay for, and its code. A used nonce is refused in any case. */
  readonly judgesSenders: boolean
  /** Dropped transactions whose reason is remembered. */
  readonly maxDropReasons: number
}

/** go-ethereum's values, with room for the bursts of one test account (field guide 4.4). */
export const DEFAULT_POOL_OPTIONS: PoolOptions = {
  maxTransactions: 10_240,
  maxBytes: 64 * 1024 * 1024,
  maxPerSender: 1_024,
  maxQueuedPerSender: 64,
  minimumTip: 0n,
  replacementBumpPercent: 10n,
  blobReplacementBumpPercent: 100n,
  maxTransactionSize: 128 * 1024,
  lifetimeMs: 3 * 60 * 60 * 1000,
  feeCap: 0n,
  judgesSenders: true,
  maxDropReasons: 10_240,
}
