import { DEFAULT_POOL_OPTIONS } from '../pool/options.ts'
import { flag } from './flag.ts'
import { bigInteger, integer } from './values.ts'

const MAX_UINT256 = 2n ** 256n - 1n
const MAX_UINT64 = 2n ** 64n - 1n

/** Limits and admission rules of the pool. */
export const POOL_FLAGS = {
  poolSize: flag<number>({
    value: 'n',
    description: 'transactions in the pool; beyond, those with the lowest fee are dropped',
    parse: integer(1, 1_000_000),
    fallback: DEFAULT_POOL_OPTIONS.maxPoolTransactions,
  }),
  poolBytes: flag<number>({
    value: 'bytes',
    description: 'bytes of transactions in the pool; beyond, those with the lowest fee are dropped',
    parse: integer(1),
    fallback: DEFAULT_POOL_OPTIONS.maxPoolBytes,
  }),
  poolSenderSlots: flag<number>({
    value: 'n',
    description: 'transactions per sender',
    parse: integer(1, 100_000),
    fallback: DEFAULT_POOL_OPTIONS.maxTransactionsPerSender,
  }),
  poolGappedSlots: flag<number>({
    value: 'n',
    description: 'queued transactions (behind a nonce gap) per sender',
    parse: integer(0, 100_000),
    fallback: DEFAULT_POOL_OPTIONS.maxQueuedPerSender,
  }),
  poolRemembered: flag<number>({
    value: 'n',
    description: 'dropped transactions whose reason is kept',
    fallback: DEFAULT_POOL_OPTIONS.maxDropReasons,
    parse: integer(0, 1_000_000),
  }),
  poolLifetime: flag<number>({
    value: 'ms',
    description: 'lifetime of a transaction in the pool',
    parse: integer(1_000),
    fallback: DEFAULT_POOL_OPTIONS.transactionLifetimeMs,
  }),
  maxTransactionBytes: flag<number>({
    value: 'bytes',
    description: 'size of one signed transaction',
    parse: integer(100, 4 * 1024 * 1024),
    fallback: DEFAULT_POOL_OPTIONS.maxTransactionBytes,
  }),
  blobReplacementBump: flag<bigint>({
    value: 'percent',
    description: 'price bump of a replacement of blob transactions (layer-1 chains)',
    parse: bigInteger(1n, 1_000_000n),
    fallback: DEFAULT_POOL_OPTIONS.blobReplacementBumpPercent,
  }),
  replacementBump: flag<bigint | undefined>({
    value: 'percent',
    description: 'price bump of a replacement, in both fees, which must be at least one wei higher',
    parse: bigInteger(0n, 1_000n),
    fallback: undefined,
    shown: `${DEFAULT_POOL_OPTIONS.replacementBumpPercent}; with --compat anvil 0`,
  }),
  minimumTip: flag<bigint>({
    value: 'wei',
    description: 'minimum priority fee per gas',
    parse: bigInteger(0n, MAX_UINT64),
    fallback: DEFAULT_POOL_OPTIONS.minimumTip,
  }),
  feeCap: flag<bigint>({
    value: 'wei',
    description: 'maximum fee of a transaction; 0: no cap',
    parse: bigInteger(0n, MAX_UINT256),
    fallback: DEFAULT_POOL_OPTIONS.feeCap,
  }),
}
