import { TRANSACTION_GAS_CAP } from '../constants.ts'
import type { ChainConfig } from '../forks/chain-config.ts'
import type { BlobSchedule, Fork } from '../forks/forks.ts'
import { rulesOf } from '../forks/rules.ts'

/** Maximum number of blobs per transaction from Osaka on (EIP-7594). */
const MAX_BLOBS_PER_TRANSACTION = 6

/** Maximum gas limit of a transaction: the chain's own, or that of EIP-7825 from Osaka on. */
export function transactionGasCap(config: ChainConfig, fork: Fork): bigint | undefined {
  return config.transactionGasCap ?? (rulesOf(fork).hasTransactionGasCap ? TRANSACTION_GAS_CAP : undefined)
}

/** Maximum number of blobs per transaction; before Osaka that of a block. */
export function maxBlobsPerTransaction(fork: Fork, schedule: BlobSchedule | undefined): number {
  const blockMax = schedule?.max ?? Number.POSITIVE_INFINITY
  return rulesOf(fork).hasCellProofs ? Math.min(blockMax, MAX_BLOBS_PER_TRANSACTION) : blockMax
}
