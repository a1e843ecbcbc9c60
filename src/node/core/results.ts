import type { PoolTransaction } from '../../chain/transaction/transaction.ts'
import type { PoolRefusal } from '../../pool/types.ts'
import type { Hash } from '../../primitives/hex.ts'

/** Why a sent transaction did not enter the pool; the serving layer writes the texts. */
export type SubmitRefusal =
  | PoolRefusal
  | { readonly code: 'UNDECODABLE'; readonly reason: string }
  | { readonly code: 'INVALID_SIGNATURE'; readonly reason: string }
  /** The limit of blobs whose proofs wait to be checked is reached; the transaction was not looked at. */
  | { readonly code: 'TOO_MANY_BLOBS'; readonly limit: number }

export type SubmitResult =
  /** `sequence`: the record that holds the transaction. */
  | { readonly kind: 'accepted'; readonly transaction: PoolTransaction; readonly sequence: number }
  | { readonly kind: 'refused'; readonly hash: Hash | undefined; readonly refusal: SubmitRefusal }

/** A refused `setHead` changes nothing. */
export type SetHeadResult =
  | { readonly kind: 'unwound' }
  | { readonly kind: 'refused'; readonly refusal: SetHeadRefusal }

export type SetHeadRefusal =
  | { readonly code: 'ABOVE_LATEST'; readonly number: number; readonly latest: number }
  | { readonly code: 'BELOW_FINALIZED'; readonly number: number; readonly finalized: number }
  /** `oldest`: the oldest block whose state is kept. */
  | { readonly code: 'STATE_PRUNED'; readonly number: number; readonly oldest: number }
