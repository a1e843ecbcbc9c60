import type { Address, Bytes, Hash, Slot } from '../primitives/hex.ts'
import type { Account } from './account.ts'

export interface AccountChange {
  /** The account after; `undefined`: it is gone. */
  readonly account: Account | undefined
  /** All storage from before is gone, then the diff's `storage` applies (self-destruct, `state` overrides). */
  readonly storageCleared: boolean
}

/** What executing changed: values after, for everything that was written. */
export interface StateDiff {
  readonly accounts: ReadonlyMap<Address, AccountChange>
  /** An address here is in `accounts` too. */
  readonly storage: ReadonlyMap<Address, ReadonlyMap<Slot, bigint>>
  readonly code: ReadonlyMap<Hash, Bytes>
}
