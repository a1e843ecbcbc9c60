import type { DropReason } from '../chain/transaction/drop-reason.ts'
import type { PoolTransaction } from '../chain/transaction/transaction.ts'
import type { Address, Hash } from '../primitives/hex.ts'

/** A pool transaction. `arrival` increases by one and orders equal tips. */
export interface PoolEntry {
  readonly transaction: PoolTransaction
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

/** Why the pool rejected a transaction; the pool is unchanged. */
export type PoolRefusal =
  | { readonly code: 'ALREADY_KNOWN' }
  | { readonly code: 'NONCE_TOO_LOW'; readonly expected: bigint; readonly actual: bigint }
  | { readonly code: 'NONCE_MAX' }
  /** `cost`: of the transaction itself; `queuedCost`: of the sender's other pending transactions. */
  | {
      readonly code: 'INSUFFICIENT_FUNDS'
      readonly balance: bigint
      readonly cost: bigint
      readonly queuedCost: bigint
    }
  | {
      readonly code: 'REPLACEMENT_UNDERPRICED'
      readonly replaced: Hash
      readonly nonce: bigint
      readonly requiredMaxFeePerGas: bigint
      readonly requiredMaxPriorityFeePerGas: bigint
    }
  /** The pool is full, and its tip is not above the lowest one. */
  | { readonly code: 'UNDERPRICED' }
  | { readonly code: 'TIP_BELOW_MINIMUM'; readonly tip: bigint; readonly minimum: bigint }
  | { readonly code: 'ACCOUNT_LIMIT'; readonly pooled: number }
  | { readonly code: 'DELEGATED_IN_FLIGHT_LIMIT' }
  | { readonly code: 'OVERSIZED_DATA'; readonly size: number; readonly limit: number }
  | { readonly code: 'TYPE_NOT_SUPPORTED'; readonly type: number }
  | { readonly code: 'WRONG_CHAIN_ID'; readonly have: bigint; readonly want: bigint }
  | { readonly code: 'NOT_REPLAY_PROTECTED' }
  | { readonly code: 'EXCEEDS_BLOCK_GAS_LIMIT'; readonly gasLimit: bigint; readonly blockGasLimit: bigint }
  | { readonly code: 'GAS_ABOVE_CAP'; readonly gasLimit: bigint; readonly cap: bigint }
  | { readonly code: 'INTRINSIC_GAS_TOO_LOW'; readonly gasLimit: bigint; readonly needed: bigint }
  | { readonly code: 'FLOOR_DATA_GAS_TOO_LOW'; readonly gasLimit: bigint; readonly needed: bigint }
  | { readonly code: 'INITCODE_TOO_LARGE'; readonly size: number; readonly limit: number }
  | { readonly code: 'TIP_ABOVE_FEE_CAP'; readonly maxPriorityFeePerGas: bigint; readonly maxFeePerGas: bigint }
  /**
   * No block can include it: the base fee never falls below the minimum. `field`: the member that has the fee cap.
   */
  | {
      readonly code: 'FEE_CAP_BELOW_FLOOR'
      readonly maxFeePerGas: bigint
      readonly floor: bigint
      readonly field: 'gasPrice' | 'maxFeePerGas'
    }
  /** The blobs, their sidecar, or its proofs. */
  | { readonly code: 'INVALID_BLOBS'; readonly reason: string }
  | { readonly code: 'SENDER_NOT_EOA'; readonly sender: Address }
  | { readonly code: 'EMPTY_AUTHORIZATION_LIST' }
  | { readonly code: 'FEE_ABOVE_CAP'; readonly fee: bigint; readonly cap: bigint }
