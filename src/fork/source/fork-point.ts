import type { Header } from '../../chain/block/header.ts'
import type { Transaction } from '../../chain/transaction/transaction.ts'
import type { Hash } from '../../primitives/hex.ts'

/** How state of the fork block is read. */
export type StateAccess =
  /** `eth_getProof`: every value is checked against the state root, and roots on top of the fork are exact. */
  | 'proofs'
  /** `eth_getAccountInfo` and `eth_getStorageAt`. */
  | 'accountInfo'
  /** `eth_getBalance`, `eth_getTransactionCount`, `eth_getCode` and `eth_getStorageAt`. */
  | 'values'

/** Transactions of a block on the fork block, in order, and its header. */
export interface ReplayedBlock {
  readonly header: Header
  readonly transactions: readonly Transaction[]
}

/** The block on which a chain is forked. */
export interface ForkPoint {
  readonly chainId: bigint
  readonly number: number
  readonly hash: Hash
  readonly stateRoot: Hash
}
