import type { Address, Bytes, Hash, Slot } from '../../primitives/hex.ts'
import { EMPTY_CODE_HASH } from '../../primitives/keccak.ts'
import type { Account } from '../../state/account.ts'
import type { AccountChange, StateDiff } from '../../state/state-diff.ts'
import type { StateReader } from '../../state/state-reader.ts'

/** Values of an account that replace those of the state; absent ones stay. */
export interface AccountValues {
  readonly nonce?: bigint
  readonly balance?: bigint
  readonly code?: { readonly hash: Hash; readonly bytes: Bytes }
  readonly slots: ReadonlyMap<Slot, bigint>
}

const EMPTY_ACCOUNT: Account = { nonce: 0n, balance: 0n, codeHash: EMPTY_CODE_HASH }

/** The change that writes the values of accounts into a state. */
export function withAccounts(state: StateReader, values: ReadonlyMap<Address, AccountValues>): StateDiff {
  const accounts = new Map<Address, AccountChange>()
  const storage = new Map<Address, ReadonlyMap<Slot, bigint>>()
  const codes = new Map<Hash, Bytes>()
  for (const [address, { nonce, balance, code, slots }] of values) {
    const before = state.account(address) ?? EMPTY_ACCOUNT
    const account = {
      nonce: nonce ?? before.nonce,
      balance: balance ?? before.balance,
      codeHash: code?.hash ?? before.codeHash,
    }
    accounts.set(address, { account, storageCleared: false })
    if (slots.size > 0) storage.set(address, slots)
    if (code !== undefined && code.bytes.length > 0) codes.set(code.hash, code.bytes)
  }
  return { accounts, storage, code: codes }
}
