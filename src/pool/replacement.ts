import { maxFeePerGas, maxPriorityFeePerGas, type PoolTransaction } from '../chain/transaction.ts'

export type Replacement =
  | { readonly kind: 'replaces' }
  | {
      readonly kind: 'underpriced'
      /** Wei per gas. */
      readonly requiredMaxFeePerGas: bigint
      readonly requiredMaxPriorityFeePerGas: bigint
    }

/**
 * Whether a transaction may take the place of a waiting one with the same sender and nonce: both fee fields strictly
 * higher and by `bumpPercent` at least, rounded down to whole wei (contract: at least 10 %; spec-facts 8.3).
 *
 * @example replacement(waiting, candidate, 10n).kind // 'replaces'
 */
export function replacement(waiting: PoolTransaction, candidate: PoolTransaction, bumpPercent: bigint): Replacement {
  const requiredMaxFeePerGas = bumped(maxFeePerGas(waiting), bumpPercent)
  const requiredMaxPriorityFeePerGas = bumped(maxPriorityFeePerGas(waiting), bumpPercent)
  const enough =
    maxFeePerGas(candidate) >= requiredMaxFeePerGas && maxPriorityFeePerGas(candidate) >= requiredMaxPriorityFeePerGas
  return enough ? { kind: 'replaces' } : { kind: 'underpriced', requiredMaxFeePerGas, requiredMaxPriorityFeePerGas }
}

function bumped(fee: bigint, percent: bigint): bigint {
  const raised = (fee * (100n + percent)) / 100n
  return raised > fee ? raised : fee + 1n
}
