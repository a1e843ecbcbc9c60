import { MAX_CODE_SIZE, TRANSACTION_GAS_CAP } from '../constants.ts'
import { type ChainConfig, hasBlobs } from '../forks/chain-config.ts'
import { type BlobSchedule, type Fork, includesFork } from '../forks/forks.ts'
import { rulesOf } from '../forks/rules.ts'
import type { PoolTransaction } from './transaction.ts'

/** Fork that introduced each transaction type. */
const TYPE_FORKS: Readonly<Record<PoolTransaction['type'], Fork>> = {
  0: 'frontier',
  1: 'berlin',
  2: 'london',
  3: 'cancun',
  4: 'prague',
}

/** Whether signed transactions of a type exist: from its fork on, those with blobs where there are any. */
export function supportsType(type: PoolTransaction['type'], fork: Fork, config: Pick<ChainConfig, 'layer2'>): boolean {
  return includesFork(fork, TYPE_FORKS[type]) && (type !== 3 || hasBlobs(config))
}

/** Maximum number of blobs per transaction from Osaka on (EIP-7594). */
const MAX_BLOBS_PER_TRANSACTION = 6

/** Maximum gas limit of a transaction: the chain's own, or that of EIP-7825 from Osaka on. */
export function transactionGasCap(config: ChainConfig, fork: Fork): bigint | undefined {
  return config.transactionGasCap ?? (rulesOf(fork).hasTransactionGasCap ? TRANSACTION_GAS_CAP : undefined)
}

/** Maximum size of code, in bytes: the chain's own, or that of EIP-170. */
export function codeSizeLimit({ codeSizeLimit: own = MAX_CODE_SIZE }: ChainConfig): number {
  return own
}

/** Maximum size of initcode, in bytes (EIP-3860): twice that of code. */
export function initcodeSizeLimit(config: ChainConfig): number {
  return 2 * codeSizeLimit(config)
}

/** Maximum number of blobs per transaction; before Osaka that of a block. */
export function maxBlobsPerTransaction(fork: Fork, schedule: BlobSchedule | undefined): number {
  const blockMax = schedule?.max ?? Number.POSITIVE_INFINITY
  return rulesOf(fork).hasCellProofs ? Math.min(blockMax, MAX_BLOBS_PER_TRANSACTION) : blockMax
}
