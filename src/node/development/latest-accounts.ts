import type { Address, Bytes, Slot } from '../../primitives/hex.ts'
import type { Account } from '../../state/account.ts'
import type { StateDiff } from '../../state/state-diff.ts'
import { LATEST } from '../view/block-reference.ts'
import type { View } from '../view/view.ts'

/** An account of the state at `latest`. An account with much storage comes in several parts, one after the other. */
export interface AccountPart {
  readonly address: Address
  /** In the first part only. */
  readonly content?: { readonly account: Account; readonly code: Bytes }
  /** Values that are not zero. */
  readonly slots: readonly (readonly [slot: Slot, value: bigint])[]
}

/** About two milliseconds of work. */
const PART_BYTES = 1 << 17

/**
 * All accounts of the state at `latest`, state changes from outside included, in parts that fit in memory. The caller
 * retains the view.
 */
export function* latestAccounts(view: View): Generator<AccountPart> {
  const state = view.state(LATEST)!
  const changed = changedAboveStore(view)
  let open: Address | undefined
  const part = (address: Address, account: Account, slots: AccountPart['slots']): AccountPart => {
    if (open === address) return { address, slots }
    open = address
    return { address, content: { account, code: state.code(account.codeHash) }, slots }
  }
  const changedPart = function* (address: Address, slots: Iterable<Slot>): Generator<AccountPart> {
    const account = state.account(address)
    if (account === undefined) return
    const values = Array.from(slots, (slot) => [slot, state.storage(address, slot)] as const)
    yield part(
      address,
      account,
      values.filter(([, value]) => value !== 0n),
    )
  }
  const rest = function* (address: Address): Generator<AccountPart> {
    const slots = changed.get(address)
    changed.delete(address)
    if (slots !== undefined && (slots.size > 0 || open !== address)) yield* changedPart(address, slots)
  }
  let previous: Address | undefined
  for (const { accounts, storage } of view.head.base.stateParts(PART_BYTES)) {
    for (const [address, { account }] of accounts) {
      if (previous !== undefined && previous !== address) yield* rest(previous)
      previous = address
      const slots = storage.get(address) ?? new Map<Slot, bigint>()
      const changedSlots = changed.get(address)
      if (changedSlots === undefined) {
        // The store has the values at `latest`.
        yield part(address, account!, [...slots])
        continue
      }
      yield* changedPart(address, slots.keys())
      for (const slot of slots.keys()) changedSlots.delete(slot)
    }
  }
  if (previous !== undefined) yield* rest(previous)
  // Accounts that the store does not have yet.
  for (const address of [...changed.keys()]) yield* rest(address)
}

/** Slots, and accounts without slots, that changed above the store. */
function changedAboveStore({ head: { recent, pending } }: View): Map<Address, Set<Slot>> {
  const diffs: StateDiff[] = [
    ...recent.flatMap(({ prelude, layers }) => [...(prelude?.diffs ?? []), ...layers.map(({ diff }) => diff)]),
    // The open block follows them, and its own transactions are not at `latest`.
    ...(pending.prelude?.diffs ?? []),
  ]
  const changed = new Map<Address, Set<Slot>>()
  const slotsOf = (address: Address) => {
    const slots = changed.get(address) ?? new Set<Slot>()
    changed.set(address, slots)
    return slots
  }
  for (const { accounts, storage } of diffs) {
    for (const address of accounts.keys()) slotsOf(address)
    for (const [address, slots] of storage) for (const slot of slots.keys()) slotsOf(address).add(slot)
  }
  return changed
}
