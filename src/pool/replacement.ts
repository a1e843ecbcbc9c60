import { maxFeePerGas, maxPriorityFeePerGas, type PoolTransaction } from '../chain/transaction/transaction.ts'

export type Replacement =
  | { readonly kind: 'replaces' }
  | {
      readonly kind: 'underpriced'
      /** Wei per gas. */
      readonly requiredMaxFeePerGas: bigint
      readonly requiredMaxPriorityFeePerGas: bigint
    }

export interface ReplacementRules {
  readonly replacementBumpPercent: bigint
  readonly blobReplacementBumpPercent: bigint
}

/**
 * Whether a transaction may replace a pool transaction of the same sender and nonce: both fee fields must be strictly
 * higher, and by at least the price bump, rounded down to whole wei. For a blob transaction the blob fee must be as
 * well.
 *
 * @example replacement(waiting, candidate, DEFAULT_POOL_OPTIONS).kind // 'replaces'
 */
export function replacement(
  waiting: PoolTransaction,
  candidate: PoolTransaction,
  rules: ReplacementRules,
): Replacement {
  const hasBlobs = waiting.type === 3 || candidate.type === 3
  const bumpPercent = hasBlobs ? rules.blobReplacementBumpPercent : rules.replacementBumpPercent
  const requiredMaxFeePerGas = bumped(maxFeePerGas(waiting), bumpPercent)
  const requiredMaxPriorityFeePerGas = bumped(maxPriorityFeePerGas(waiting), bumpPercent)
  const enough =
    maxFeePerGas(candidate) >= requiredMaxFeePerGas &&
    maxPriorityFeePerGas(candidate) >= requiredMaxPriorityFeePerGas &&
    blobFee(candidate) >= (waiting.type === 3 ? bumped(blobFee(waiting), bumpPercent) : 0n)
  return enough ? { kind: 'replaces' } : { kind: 'underpriced', requiredMaxFeePerGas, requiredMaxPriorityFeePerGas }
}

function blobFee(transaction: PoolTransaction): bigint {
  return transaction.type === 3 ? transaction.maxFeePerBlobGas : 0n
}

function bumped(fee: bigint, percent: bigint): bigint {
  const raised = (fee * (100n + percent)) / 100n
  return raised > fee ? raised : fee + 1n
}
