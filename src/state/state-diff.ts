import type { Address, Bytes, Hash, Slot } from '../primitives/hex.ts'
import type { Account } from './account.ts'

export interface AccountChange {
  /** The account after the change; `undefined` if it was deleted. */
  readonly account: Account | undefined
  /** All earlier storage is cleared before the diff's `storage` applies (self-destruct, `state` overrides). */
  readonly storageCleared: boolean
}

/** Effect of an execution: the values after it of everything that was written. */
export interface StateDiff {
  readonly accounts: ReadonlyMap<Address, AccountChange>
  /** Every address here is in `accounts` too. */
  readonly storage: ReadonlyMap<Address, ReadonlyMap<Slot, bigint>>
  readonly code: ReadonlyMap<Hash, Bytes>
}
