import type { Hash } from '../primitives/hex.ts'

/** How state of the fork block is read. */
export type StateAccess =
  /** `eth_getProof`: every value is checked against the state root, and roots on top of the fork are exact. */
  | 'proofs'
  /** `eth_getAccountInfo` and `eth_getStorageAt`. */
  | 'accountInfo'
  /** `eth_getBalance`, `eth_getTransactionCount`, `eth_getCode` and `eth_getStorageAt`. */
  | 'values'

/** The block on which a chain is forked. */
export interface ForkPoint {
  readonly chainId: bigint
  readonly number: number
  readonly hash: Hash
  readonly stateRoot: Hash
}
