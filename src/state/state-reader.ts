import type { Address, Bytes, Hash, Slot } from '../primitives/hex.ts'
import type { Account } from './account.ts'

/** An immutable view of the state at one point. Synchronous. */
export interface StateReader {
  /** `undefined`: no such account. */
  account(address: Address): Account | undefined
  /** 0 for an unset slot. */
  storage(address: Address, slot: Slot): bigint
  /**
   * Whether any slot of an account without code and nonce is not zero (EIP-7610). Such an account either had its
   * storage cleared or never had code, so its slots cannot have been zeroed one by one.
   */
  hasStorage(address: Address): boolean
  /** Empty for the hash of empty code. */
  code(hash: Hash): Bytes
  /** The zero hash for an unknown block. */
  blockHash(number: number): Hash
}
