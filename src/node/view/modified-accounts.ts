import type { Address, Slot } from '../../primitives/hex.ts'
import { sameAccount } from '../../state/account.ts'
import { clearsStorage } from '../../state/diff.ts'
import type { StateDiff } from '../../state/state-diff.ts'
import type { StateReader } from '../../state/state-reader.ts'
import type { View } from './view.ts'

/** Everything that a range of blocks wrote to an account. */
interface Touched {
  readonly slots: Set<Slot>
  /** Whether a block cleared its storage, which leaves no list of the slots. */
  isCleared: boolean
}

/** Accounts and slots that are read before a step ends. */
const STEP_READS = 200

/**
 * Addresses of the accounts that exist after sealed block `to` and differ from what they were after sealed block
 * `from`, in balance, nonce, code or storage, as reads of the state show them. An account whose storage a block cleared
 * counts as modified. Computed in steps from the diffs of the blocks.
 *
 * @param view retained until the last step
 * @throws StatePrunedError; MissingStateError on a fork
 */
export function* modifiedAccountSteps(view: View, from: number, to: number): Generator<void, readonly Address[]> {
  const touched = new Map<Address, Touched>()
  for (let number = from + 1; number <= to; number++) {
    for (const diff of diffsOf(view, number)) note(touched, diff)
    yield
  }
  // Changes from outside show in the state of the block before them (ADR 0014).
  for (const diff of alterationsBefore(view, to + 1)) note(touched, diff)
  const [before, after] = [view.state({ kind: 'number', number: from })!, view.state({ kind: 'number', number: to })!]
  const modified: Address[] = []
  let reads = 0
  for (const [address, writes] of touched) {
    reads += 1
    if (yield* isModified(address, writes, before, after)) modified.push(address)
    if (reads % STEP_READS === 0) yield
  }
  return modified
}

/** Diffs that name everything which a sealed block wrote: its own, or what they overwrote. */
function diffsOf({ head }: View, number: number): readonly StateDiff[] {
  const { base, recent } = head
  if (number <= base.number) return [base.reverseDiff(number)!]
  const { prelude, layers } = recent.find(({ block }) => block.header.number === number)!
  const diffs = layers.map(({ diff }) => diff)
  return prelude === undefined ? diffs : [...prelude.diffs, ...diffs]
}

/** State changes from outside between the parent of a block, which may be the open one, and the block (ADR 0014). */
export function alterationsBefore({ head }: View, number: number): readonly StateDiff[] {
  const { base, recent, pending } = head
  if (number <= base.number) {
    const prelude = base.prelude(number)
    return prelude === undefined ? [] : [prelude]
  }
  return [...recent, pending].find(({ block }) => block.header.number === number)?.prelude?.diffs ?? []
}

function note(touched: Map<Address, Touched>, { accounts, storage }: StateDiff): void {
  for (const [address, change] of accounts) {
    const writes = touched.get(address) ?? { slots: new Set(), isCleared: false }
    writes.isCleared ||= clearsStorage(change)
    touched.set(address, writes)
  }
  for (const [address, slots] of storage) for (const slot of slots.keys()) touched.get(address)!.slots.add(slot)
}

function* isModified(
  address: Address,
  { slots, isCleared }: Touched,
  before: StateReader,
  after: StateReader,
): Generator<void, boolean> {
  const [old, now] = [before.account(address), after.account(address)]
  if (now === undefined) return false
  if (old === undefined || isCleared || !sameAccount(old, now)) return true
  let reads = 0
  for (const slot of slots) {
    if (before.storage(address, slot) !== after.storage(address, slot)) return true
    reads += 1
    if (reads % STEP_READS === 0) yield
  }
  return false
}
