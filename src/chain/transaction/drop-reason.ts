import type { Hash } from '../../primitives/hex.ts'

/** Why a transaction left the pool without being included. */
export type DropReason =
  | { readonly code: 'REPLACED'; readonly by: Hash }
  | { readonly code: 'NONCE_USED' }
  | { readonly code: 'INSUFFICIENT_FUNDS' }
  | { readonly code: 'EVICTED' }
  | { readonly code: 'EXPIRED' }
  | { readonly code: 'INVALID'; readonly reason: string }
  /** It was in a block that is gone (`debug_setHead`). */
  | { readonly code: 'REORGANISED'; readonly blockNumber: number; readonly blockHash: Hash }

/** A transaction that is in no block and does not wait for one any more. */
export interface DroppedTransaction {
  readonly hash: Hash
  readonly reason: DropReason
}
