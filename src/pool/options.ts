import { type LimitValues, limit, limitDefaults } from '../primitives/limit.ts'
import { MAX_UINT64, MAX_UINT256 } from '../primitives/quantity.ts'
import type { PoolOrder } from './candidates.ts'

const REFUSED = 'a send fails with -32000'

/**
 * Limits and admission rules of the pool. It has room for more transactions, and for more of one sender, than
 * go-ethereum's: tests send bursts from one account.
 */
export const POOL_LIMITS = {
  maxPoolTransactions: limit(
    'n',
    10_240,
    'transactions in the pool',
    `the transactions with the lowest fee are dropped as EVICTED; one that pays less than all: ${REFUSED}, UNDERPRICED`,
    [1, 1_000_000],
  ),
  /** Encoded bytes of all transactions, with blobs and predicates. */
  maxPoolBytes: limit('bytes', 64 * 1024 * 1024, 'bytes of transactions in the pool', 'as for --max-pool-transactions'),
  maxTransactionsPerSender: limit('n', 1_024, 'transactions per sender', `${REFUSED}, ACCOUNT_LIMIT`, [1, 100_000]),
  maxQueuedPerSender: limit(
    'n',
    64,
    'queued transactions (behind a nonce gap) per sender',
    `${REFUSED}, ACCOUNT_LIMIT`,
    [0, 100_000],
  ),
  /** An account whose delegation is still in the pool counts as one that has delegated. */
  delegatedSlots: limit(
    'n',
    4,
    'transactions in flight of an account that has delegated (EIP-7702)',
    `${REFUSED}, DELEGATED_IN_FLIGHT_LIMIT`,
    [1, 100_000],
  ),
  maxDropReasons: limit(
    'n',
    10_240,
    'dropped transactions whose reason is kept',
    'the reason of the oldest dropped transaction is unknown',
    [0, 1_000_000],
  ),
  transactionLifetimeMs: limit(
    'ms',
    3 * 60 * 60 * 1000,
    'lifetime of a transaction in the pool, pending or queued',
    'the transaction is dropped as EXPIRED',
    [1_000],
  ),
  /** Without the blob sidecar. */
  maxTransactionBytes: limit('bytes', 128 * 1024, 'size of one signed transaction', `${REFUSED}, OVERSIZED_DATA`, [
    100,
    4 * 1024 * 1024,
  ]),
  /** As in go-ethereum's blob pool: a replacement is propagated with its blobs. */
  blobReplacementBumpPercent: limit(
    'percent',
    100n,
    'price bump of a replacement of blob transactions (layer-1 chains)',
    `${REFUSED}, REPLACEMENT_UNDERPRICED`,
    [1n, 1_000_000n],
  ),
  replacementBumpPercent: limit(
    'percent',
    10n,
    'price bump of a replacement, in both fees, which must be at least one wei higher',
    `${REFUSED}, REPLACEMENT_UNDERPRICED`,
    [0n, 1_000n],
  ),
  minimumTipWei: limit('wei', 0n, 'minimum priority fee per gas', `${REFUSED}, TIP_BELOW_MINIMUM`, [0n, MAX_UINT64]),
  feeCapWei: limit('wei', 0n, 'maximum fee of a transaction; 0: no cap', `${REFUSED}, FEE_ABOVE_CAP`, [
    0n,
    MAX_UINT256,
  ]),
}

export interface PoolOptions extends LimitValues<typeof POOL_LIMITS> {
  /** Whether the sender's balance and code are checked. A used nonce is rejected in any case. */
  readonly judgesSenders: boolean
  /** Whether transactions without a chain id (before EIP-155) are accepted, as those of keyless deployments. */
  readonly acceptsUnprotected: boolean
  /** Order in which executable transactions enter blocks. */
  readonly order: PoolOrder
}

export const DEFAULT_POOL_OPTIONS: PoolOptions = {
  ...limitDefaults(POOL_LIMITS),
  judgesSenders: true,
  acceptsUnprotected: false,
  order: 'fees',
}
