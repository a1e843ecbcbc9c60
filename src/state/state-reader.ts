import type { Address, Bytes, Hash, Slot } from '../primitives/hex.ts'
import type { Account } from './account.ts'

/** The state at one instant; never changes under its holder. Synchronous. */
export interface StateReader {
  /** `undefined`: no such account. */
  account(address: Address): Account | undefined
  /** 0 where nothing was stored. */
  storage(address: Address, slot: Slot): bigint
  /**
   * Whether any slot is not zero, of an account without code and nonce (EIP-7610). What made it one has cleared its storage, or
   * it never had code: nothing can have made its slots zero one by one.
   */
  hasStorage(address: Address): boolean
  /** No bytes for the hash of no code. */
  code(hash: Hash): Bytes
  /** The zero hash where no such block is known. */
  blockHash(number: number): Hash
}
