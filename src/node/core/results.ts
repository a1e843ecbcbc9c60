import type { SubmitRefusal } from '../../chain/transaction/refusal.ts'
import type { PoolTransaction } from '../../chain/transaction/transaction.ts'
import type { Hash } from '../../primitives/hex.ts'

export type SubmitResult =
  /** `sequence`: number of the record that contains the transaction. */
  | { readonly kind: 'accepted'; readonly transaction: PoolTransaction; readonly sequence: number }
  | { readonly kind: 'refused'; readonly hash: Hash | undefined; readonly refusal: SubmitRefusal }

/** A rejected `setHead` has no effect. */
export type SetHeadResult =
  | { readonly kind: 'unwound' }
  | { readonly kind: 'refused'; readonly refusal: SetHeadRefusal }

export type SetHeadRefusal =
  | { readonly code: 'ABOVE_LATEST'; readonly number: number; readonly latest: number }
  | { readonly code: 'BELOW_FINALIZED'; readonly number: number; readonly finalized: number }
  | BelowFork
  /** `oldest`: the oldest block whose state is retained. */
  | { readonly code: 'STATE_PRUNED'; readonly number: number; readonly oldest: number }

/** A chain cannot be unwound below the block of another chain from which it was forked. */
export interface BelowFork {
  readonly code: 'BELOW_FORK'
  readonly number: number
  /** The fork block. */
  readonly fork: number
}
