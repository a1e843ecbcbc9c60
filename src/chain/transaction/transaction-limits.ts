import { TRANSACTION_GAS_CAP } from '../constants.ts'
import type { ChainConfig } from '../forks/chain-config.ts'
import type { BlobSchedule, Fork } from '../forks/forks.ts'
import { rulesOf } from '../forks/rules.ts'

/** Blobs of one transaction at most, from Osaka on (EIP-7594). */
const MAX_BLOBS_PER_TRANSACTION = 6

/** The cap on a transaction's gas limit: a layer-2 chain's own, or EIP-7825's from Osaka on. */
export function transactionGasCap(config: ChainConfig, fork: Fork): bigint | undefined {
  return config.transactionGasCap ?? (rulesOf(fork).hasTransactionGasCap ? TRANSACTION_GAS_CAP : undefined)
}

/** Blobs of one transaction at most: before Osaka as many as a block may have. */
export function maxBlobsPerTransaction(fork: Fork, schedule: BlobSchedule | undefined): number {
  const blockMax = schedule?.max ?? Number.POSITIVE_INFINITY
  return rulesOf(fork).hasCellProofs ? Math.min(blockMax, MAX_BLOBS_PER_TRANSACTION) : blockMax
}
