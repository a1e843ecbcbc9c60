import type { Address, Bytes, Hash, Slot } from '../../primitives/hex.ts'
import { keccakHash } from '../../primitives/keccak.ts'
import { type Account, credited, EMPTY_ACCOUNT, sameAccount } from '../../state/account.ts'
import { emptyDiff } from '../../state/diff.ts'
import type { StateDiff } from '../../state/state-diff.ts'
import type { StateReader } from '../../state/state-reader.ts'

/** Why a nonce was not set. */
export type NonceRefusal =
  | { readonly code: 'NONCE_TOO_LOW'; readonly nonce: bigint; readonly existing: bigint }
  | { readonly code: 'POOL_NOT_EMPTY' }

/**
 * State changes from outside. They follow the newest sealed block and precede the next one: reads at `latest` and
 * `pending` show them, its header does not commit to them, the next one does. An open block with transactions is sealed
 * first.
 */
export interface StateChanges {
  /** @param wei less than 2^256 */
  setBalance(address: Address, wei: bigint): Promise<void>
  /** The sum is limited to 2^256 - 1. */
  addBalance(address: Address, wei: bigint): Promise<void>
  setCode(address: Address, code: Bytes): Promise<void>
  /**
   * Sets a nonce, less than 2^64.
   *
   * @param isGuarded refuses a lower nonce, and any while the pool has transactions
   */
  setNonce(address: Address, nonce: bigint, options: { readonly isGuarded: boolean }): Promise<NonceRefusal | undefined>
  setStorage(address: Address, slot: Slot, value: bigint): Promise<void>
  /** Applies any changes. @param change given the state after the newest sealed block */
  alter(change: (state: StateReader) => StateDiff): Promise<void>
}

export function withBalance(state: StateReader, address: Address, balance: bigint): StateDiff {
  return withAccount(state, address, (account) => ({ ...account, balance }))
}

export function withAddedBalance(state: StateReader, address: Address, wei: bigint): StateDiff {
  return withAccount(state, address, (account) => ({ ...account, balance: credited(account.balance, wei) }))
}

export function withNonce(state: StateReader, address: Address, nonce: bigint): StateDiff {
  return withAccount(state, address, (account) => ({ ...account, nonce }))
}

export function withCode(state: StateReader, address: Address, code: Bytes): StateDiff {
  const codeHash = keccakHash(code)
  const diff = withAccount(state, address, (account) => ({ ...account, codeHash }))
  return code.length === 0 || diff.accounts.size === 0
    ? diff
    : { ...diff, code: new Map<Hash, Bytes>([[codeHash, code]]) }
}

/** An account with storage exists, even if it is empty otherwise. */
export function withStorage(state: StateReader, address: Address, slot: Slot, value: bigint): StateDiff {
  if (state.storage(address, slot) === value) return emptyDiff()
  const account = state.account(address) ?? EMPTY_ACCOUNT
  return {
    accounts: new Map([[address, { account, storageCleared: false }]]),
    storage: new Map([[address, new Map([[slot, value]])]]),
    code: new Map(),
  }
}

/** An account that becomes empty is removed, as by transactions (EIP-161), unless it has storage. */
function withAccount(state: StateReader, address: Address, change: (account: Account) => Account): StateDiff {
  const before = state.account(address)
  const changed = change(before ?? EMPTY_ACCOUNT)
  const account = sameAccount(changed, EMPTY_ACCOUNT) && !state.hasStorage(address) ? undefined : changed
  if (sameAccount(before, account)) return emptyDiff()
  const accounts = new Map([[address, { account, storageCleared: account === undefined }]])
  return { accounts, storage: new Map(), code: new Map() }
}
