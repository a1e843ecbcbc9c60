import { DEFAULT_POOL_OPTIONS } from '../../pool/options.ts'
import { flag } from './flag.ts'
import { bigInteger, integer } from './values.ts'

const MAX_UINT256 = 2n ** 256n - 1n
const MAX_UINT64 = 2n ** 64n - 1n

/** Which transactions may wait, and for how long. */
export const POOL_FLAGS = {
  poolSize: flag<number>({
    value: 'n',
    description: 'transactions that may wait in all; beyond it the worst paid leave',
    parse: integer(1, 1_000_000),
    fallback: DEFAULT_POOL_OPTIONS.maxTransactions,
  }),
  poolBytes: flag<number>({
    value: 'bytes',
    description: 'bytes of all waiting transactions; beyond it the worst paid leave',
    parse: integer(1),
    fallback: DEFAULT_POOL_OPTIONS.maxBytes,
  }),
  poolSenderSlots: flag<number>({
    value: 'n',
    description: 'transactions of one sender that may wait',
    parse: integer(1, 100_000),
    fallback: DEFAULT_POOL_OPTIONS.maxPerSender,
  }),
  poolGappedSlots: flag<number>({
    value: 'n',
    description: 'of those, the ones behind a nonce gap',
    parse: integer(0, 100_000),
    fallback: DEFAULT_POOL_OPTIONS.maxGappedPerSender,
  }),
  poolRemembered: flag<number>({
    value: 'n',
    description: 'transactions that left the pool without a block and whose reason is remembered',
    fallback: DEFAULT_POOL_OPTIONS.maxRemembered,
    parse: integer(0, 1_000_000),
  }),
  poolLifetime: flag<number>({
    value: 'ms',
    description: 'how long a transaction may wait',
    parse: integer(1_000),
    fallback: DEFAULT_POOL_OPTIONS.lifetimeMs,
  }),
  maxTransactionBytes: flag<number>({
    value: 'bytes',
    description: 'bytes of one signed transaction',
    parse: integer(100, 4 * 1024 * 1024),
    fallback: DEFAULT_POOL_OPTIONS.maxTransactionSize,
  }),
  blobReplacementBump: flag<bigint>({
    value: 'percent',
    description: 'how much higher all fees of a replacement must be where blobs are involved (layer-1 chains)',
    parse: bigInteger(1n, 1_000_000n),
    fallback: DEFAULT_POOL_OPTIONS.blobReplacementBumpPercent,
  }),
  replacementBump: flag<bigint>({
    value: 'percent',
    description: 'how much higher both fees of a replacement must be',
    parse: bigInteger(10n, 1_000n),
    fallback: DEFAULT_POOL_OPTIONS.replacementBumpPercent,
  }),
  minimumTip: flag<bigint>({
    value: 'wei',
    description: 'least priority fee per gas',
    parse: bigInteger(0n, MAX_UINT64),
    fallback: DEFAULT_POOL_OPTIONS.minimumTip,
  }),
  feeCap: flag<bigint>({
    value: 'wei',
    description: 'what a transaction may cost in fees at most; 0: no cap',
    parse: bigInteger(0n, MAX_UINT256),
    fallback: DEFAULT_POOL_OPTIONS.feeCap,
  }),
}
