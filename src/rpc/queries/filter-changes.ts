import type { TransactionView, View } from '../../node/view/view.ts'
import type { Hash } from '../../primitives/hex.ts'
import type { FilterContext } from '../context/filtering.ts'
import type { SendContext } from '../context/sending.ts'
import { filterFellBehind } from '../filters/filter-errors.ts'
import type { Filter, FilterSet, FilterState } from '../filters/filter-set.ts'
import { logChanges } from '../filters/log-changes.ts'
import type { Unwinding } from '../filters/unwindings.ts'
import { formatIncludedTransaction, formatPooledTransaction } from '../format/transaction.ts'
import type { Json } from '../protocol/json.ts'

type Context = Pick<FilterContext, 'view' | 'config' | 'options' | 'yieldIfDue' | 'grown' | 'onPolled'> &
  Pick<SendContext, 'node'>

interface Deps {
  readonly id: string
  readonly filters: FilterSet
  readonly context: Context
}

/** Approximate bytes of a transaction object without its data. */
const TRANSACTION_BYTES = 800

type StateOf<Kind> = Extract<FilterState, { kind: Kind }>

/**
 * Changes since the last poll of a filter. Concurrent polls of one filter run one after another, so that each change is
 * returned once.
 *
 * @throws RpcError `filter not found` when more has changed than is cached; the filter is removed
 */
export function filterChanges(filter: Filter, deps: Deps): Promise<readonly Json[]> {
  const changes = filter.polling.then(() => polled(filter, deps))
  filter.polling = changes.catch(() => undefined)
  return changes
}

async function polled(filter: Filter, deps: Deps): Promise<readonly Json[]> {
  const before = { ...filter.state }
  const changes = await changesOf(filter.state, deps)
  const poll = filter.polls++
  deps.context.onPolled?.(() => {
    filter.polling = filter.polling.then(() => putBack(filter, poll, before))
  })
  return changes
}

/** Changes of later polls are returned again as well: rather twice than never. */
function putBack(filter: Filter, poll: number, before: FilterState): void {
  const { from, to } = filter.putBack
  // It was put back together with an earlier poll.
  if (poll >= from && poll < to) return
  Object.assign(filter.state, before)
  filter.putBack = { from: poll, to: filter.polls }
}

async function changesOf(state: FilterState, deps: Deps): Promise<readonly Json[]> {
  switch (state.kind) {
    case 'logs':
      return changedLogs(state, deps)
    case 'blocks':
      return newBlocks(state, deps)
    case 'transactions':
      return newTransactions(state, deps)
  }
}

async function changedLogs(state: StateOf<'logs'>, deps: Deps): Promise<readonly Json[]> {
  const { view, config, options, yieldIfDue, grown } = deps.context
  const { sequence } = state
  // A poll on a later view was answered before.
  if (view.head.sequence < sequence) return []
  const { maxLogs, maxLogBytes } = options
  const unwindings = unwindingsSince(sequence, deps)
  const context = { view, config, unwindings, sequence, maxLogs, maxLogBytes, yieldIfDue, grown }
  const changed = await logChanges(state.watched, state.position, context)
  state.position = changed.position
  state.sequence = changed.sequence
  return changed.changes
}

function newBlocks(state: StateOf<'blocks'>, deps: Deps): readonly Json[] {
  const { view, options } = deps.context
  if (view.head.sequence < state.sequence) return []
  const { hashes, next } = blockChanges(state.next, unwindingsSince(state.sequence, deps), view, options.maxLogs)
  state.next = next
  state.sequence = view.head.sequence
  return hashes
}

/** Transactions that entered the pool so far, also those that the view of the request does not show. */
function newTransactions(state: StateOf<'transactions'>, deps: Deps): readonly Json[] {
  const { id, filters, context } = deps
  const { maxLogs, maxLogBytes } = context.options
  const hashes = filters.pooled.from(state.next, maxLogs)
  if (hashes === undefined) {
    filters.close(id)
    throw filterFellBehind()
  }
  if (!state.full) {
    state.next += hashes.length
    return hashes
  }
  const view = context.node.view()
  const transactions: Json[] = []
  let bytes = 0
  for (const hash of hashes) {
    const found = view.transaction(hash)
    bytes += TRANSACTION_BYTES + 2 * (found?.transaction.data.length ?? 0)
    if (transactions.length > 0 && bytes > maxLogBytes) break
    state.next += 1
    // A transaction that was dropped meanwhile has no object.
    if (found !== undefined) transactions.push(encodeFound(found))
  }
  return transactions
}

/** A pooled or an included transaction. */
function encodeFound(found: TransactionView): Json {
  if (found.kind === 'pooled') return formatPooledTransaction(found.transaction)
  return formatIncludedTransaction(found.transaction, found.block.block, found.index, found.receipt.deposit)
}

function unwindingsSince(sequence: number, { id, filters, context }: Deps) {
  const unwindings = filters.unwindings.between(sequence, context.view.head.sequence)
  if (unwindings !== undefined) return unwindings
  filters.close(id)
  throw filterFellBehind()
}

interface BlockFilterChanges {
  readonly hashes: readonly Hash[]
  /** Height of the first block that has not been returned. */
  readonly next: number
}

/**
 * Hashes of the blocks sealed since `next`, and of those that replaced unwound ones, in order.
 *
 * @param limit hashes per response; the rest follows with the next poll
 */
function blockChanges(next: number, unwindings: readonly Unwinding[], view: View, limit: number): BlockFilterChanges {
  const first = unwindings.reduce((lowest, { lastRemaining }) => Math.min(lowest, lastRemaining + 1), next)
  const last = Math.min(view.head.sealed.latest, first + limit - 1)
  const hashes: Hash[] = []
  for (let height = first; height <= last; height++) hashes.push(view.blockHash({ kind: 'number', number: height })!)
  return { hashes, next: Math.max(first, last + 1) }
}
