import type { Address, Bytes, Hash, Slot } from '../primitives/hex.ts'
import type { Account } from './account.ts'

/** The state at one instant; never changes under its holder. Synchronous. */
export interface StateReader {
  /** `undefined`: no such account. */
  account(address: Address): Account | undefined
  /** 0 where nothing was stored. */
  storage(address: Address, slot: Slot): bigint
  /** No bytes for the hash of no code. */
  code(hash: Hash): Bytes
  /** The zero hash where no such block is known. */
  blockHash(number: number): Hash
}
