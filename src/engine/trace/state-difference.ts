import type { Address, Bytes, Slot } from '../../primitives/hex.ts'
import { type Account, sameAccount } from '../../state/account.ts'
import type { StateChange } from './prestate-tracer.ts'
import type { TraceBudget } from './trace-budget.ts'

/** An account with its code. */
export interface AccountWithCode extends Account {
  readonly code: Bytes
}

/** An account before and after a message; `undefined`: it does not exist. */
export interface TracedAccountChange {
  readonly before: AccountWithCode | undefined
  readonly after: AccountWithCode | undefined
  /** Slots whose value changed. */
  readonly storage: ReadonlyMap<Slot, { readonly before: bigint; readonly after: bigint }>
}

/** JSON bytes of an account and of a slot. */
const ACCOUNT_BYTES = 300
const SLOT_BYTES = 260

/**
 * The accounts that a message changed, by address.
 *
 * @throws TraceTooLargeError and errors of the state reader
 */
export function accountChanges(change: StateChange, budget: TraceBudget): ReadonlyMap<Address, TracedAccountChange> {
  const { before, diff } = change
  const changes = new Map<Address, TracedAccountChange>()
  for (const address of new Set([...diff.accounts.keys(), ...diff.storage.keys()].sort())) {
    const account = before.account(address)
    const after = diff.accounts.has(address) ? diff.accounts.get(address)!.account : account
    const storage = changedSlots(address, change)
    if (storage.size === 0 && sameAccount(account, after)) continue
    const codeChanged = account?.codeHash !== after?.codeHash
    const traced = {
      before: account && { ...account, code: before.code(account.codeHash) },
      after: after && { ...after, code: diff.code.get(after.codeHash) ?? before.code(after.codeHash) },
      storage,
    }
    const codeBytes = codeChanged ? (traced.before?.code.length ?? 0) + (traced.after?.code.length ?? 0) : 0
    budget.spend(ACCOUNT_BYTES + SLOT_BYTES * storage.size + 2 * codeBytes)
    changes.set(address, traced)
  }
  return changes
}

function changedSlots(address: Address, { before, diff }: StateChange): TracedAccountChange['storage'] {
  const slots = new Map<Slot, { before: bigint; after: bigint }>()
  for (const [slot, after] of diff.storage.get(address) ?? []) {
    const value = before.storage(address, slot)
    if (value !== after) slots.set(slot, { before: value, after })
  }
  return slots
}
