import type { Address, Bytes, Hash, Slot } from '../../primitives/hex.ts'
import { EMPTY_ACCOUNT, sameAccount } from '../../state/account.ts'
import type { AccountChange, StateDiff } from '../../state/state-diff.ts'
import type { StateReader } from '../../state/state-reader.ts'

/** Values of an account that replace those of the state; absent ones stay. */
export interface AccountValues {
  readonly nonce?: bigint
  readonly balance?: bigint
  readonly code?: { readonly hash: Hash; readonly bytes: Bytes }
  readonly slots: ReadonlyMap<Slot, bigint>
}

/**
 * The change that writes the values of accounts into a state. Values that the state has already are left out, and an
 * account that is empty without storage is removed, as by transactions (EIP-161).
 */
export function withAccounts(state: StateReader, values: ReadonlyMap<Address, AccountValues>): StateDiff {
  const accounts = new Map<Address, AccountChange>()
  const storage = new Map<Address, ReadonlyMap<Slot, bigint>>()
  const codes = new Map<Hash, Bytes>()
  for (const [address, { nonce, balance, code, slots }] of values) {
    const before = state.account(address)
    const { nonce: oldNonce, balance: oldBalance, codeHash } = before ?? EMPTY_ACCOUNT
    const merged = { nonce: nonce ?? oldNonce, balance: balance ?? oldBalance, codeHash: code?.hash ?? codeHash }
    const changed = changedSlots(state, { address, exists: before !== undefined, slots })
    const isEmpty = sameAccount(merged, EMPTY_ACCOUNT) && changed.size === 0 && !state.hasStorage(address)
    const account = isEmpty ? undefined : merged
    if (changed.size === 0 && sameAccount(before, account)) continue
    accounts.set(address, { account, storageCleared: account === undefined })
    if (changed.size > 0) storage.set(address, changed)
    if (code !== undefined && code.bytes.length > 0) codes.set(code.hash, code.bytes)
  }
  return { accounts, storage, code: codes }
}

interface WrittenSlots {
  readonly address: Address
  /** An account that does not exist has no slots, which saves reading them. */
  readonly exists: boolean
  readonly slots: ReadonlyMap<Slot, bigint>
}

function changedSlots(state: StateReader, { address, exists, slots }: WrittenSlots): ReadonlyMap<Slot, bigint> {
  const before = exists ? (slot: Slot) => state.storage(address, slot) : () => 0n
  return new Map([...slots].filter(([slot, value]) => before(slot) !== value))
}
