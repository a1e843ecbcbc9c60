import type { DropReason } from '../chain/transaction/drop-reason.ts'
import type { PoolTransaction } from '../chain/transaction/transaction.ts'
import type { Address, Hash } from '../primitives/hex.ts'
import type { AuthorizedNonce } from './authorized-nonces.ts'

/** A pool transaction. `arrival` increases by one and orders equal tips. */
export interface PoolEntry {
  readonly transaction: PoolTransaction
  /** See `authorizedNonces`. */
  readonly authorized: readonly AuthorizedNonce[]
  /** The sender's nonce after the transaction, which also uses those of the sender's own authorizations (EIP-7702). */
  readonly nextNonce: bigint
  readonly arrival: number
  /** Milliseconds on the monotonic clock. */
  readonly arrivedAt: number
  /** Wei for its data on layer 1 and for the operator, by the prices at its arrival; absent: it pays for gas only. */
  readonly dataCost?: bigint | undefined
  /** Last block that its validity predicates allow, computed once: every sealed block compares it. Absent: any. */
  readonly lastBlock?: bigint | undefined
}

/** The sender's account in the pending state, which determines whether a transaction is executable. */
export interface SenderState {
  readonly nonce: bigint
  /** Wei. */
  readonly balance: bigint
  /** Code of the sender's account: none, an EIP-7702 delegation, or a contract (which cannot send, EIP-3607). */
  readonly code: 'none' | 'delegation' | 'contract'
}

/** The pool at one instant. Immutable. */
export interface PoolView {
  /** Pending and queued transactions. */
  readonly size: number
  get(hash: Hash): PoolEntry | undefined
  /** The first nonce from `nonce` on that the sender's pool transactions do not use. */
  nextNonce(sender: Address, nonce: bigint): bigint
  /** In nonce order. */
  bySender(sender: Address): readonly PoolEntry[]
  senders(): Iterable<Address>
  /** Why a transaction left the pool without being included; `undefined`: it did not, or the reason is forgotten. */
  dropReason(hash: Hash): DropReason | undefined
}

/** An empty pool. */
export const EMPTY_POOL_VIEW: PoolView = Object.freeze({
  size: 0,
  get: () => undefined,
  nextNonce: (_sender: unknown, nonce: bigint) => nonce,
  bySender: () => [],
  senders: () => [],
  dropReason: () => undefined,
})
