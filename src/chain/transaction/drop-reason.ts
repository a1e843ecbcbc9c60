import type { Hash } from '../../primitives/hex.ts'

/** Why a transaction left the pool without inclusion. */
export type DropReason =
  | { readonly code: 'REPLACED'; readonly by: Hash }
  | { readonly code: 'NONCE_USED' }
  | { readonly code: 'INSUFFICIENT_FUNDS' }
  | { readonly code: 'EVICTED' }
  | { readonly code: 'EXPIRED' }
  /** A request to a development node. */
  | { readonly code: 'REMOVED' }
  | { readonly code: 'INVALID'; readonly reason: string }
  /** Its block was removed (`debug_setHead`). */
  | { readonly code: 'REORGANISED'; readonly blockNumber: number; readonly blockHash: Hash }

/** A transaction that left the pool and is in no block. */
export interface DroppedTransaction {
  readonly hash: Hash
  readonly reason: DropReason
}
