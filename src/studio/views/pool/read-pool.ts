import { numberOf, objectIn } from '../../../live/amount.ts'
import { type PoolRow, poolRows } from '../../model/pool-rows.ts'
import { type TransactionCondition, transactionCondition } from '../../model/transaction-status.ts'

/** The pool, or its part of one sender. */
export interface PoolPage {
  /** Transactions of the whole pool by state. */
  readonly counts: Readonly<Record<PoolRow['state'], number>>
  /** `undefined`: the pool is too large to be read as a whole. */
  readonly rows: readonly PoolRow[] | undefined
  readonly conditions: ReadonlyMap<string, TransactionCondition>
}

interface Node {
  request(method: string, params?: readonly unknown[]): Promise<unknown>
}

/** Pooled transactions that are read together: the node encodes each of them. */
export const MAX_READ = 2_000
/** Waiting transactions whose reason is read, a request each. */
const MAX_REASONS = 100

/** @param sender reads only the transactions of this one */
export async function readPool(
  node: Node,
  { sender, hasStatus }: { readonly sender: string | undefined; readonly hasStatus: boolean },
): Promise<PoolPage> {
  const { pending, queued } = objectIn(await node.request('txpool_status'))
  const counts = { pending: numberOf(pending) ?? 0, queued: numberOf(queued) ?? 0 }
  if (sender === undefined && counts.pending + counts.queued > MAX_READ) {
    return { counts, rows: undefined, conditions: new Map() }
  }
  const rows = sender === undefined ? poolRows(await node.request('txpool_content')) : await rowsOf(node, sender)
  return { counts, rows, conditions: hasStatus ? await conditionsOf(node, rows) : new Map() }
}

async function rowsOf(node: Node, sender: string): Promise<readonly PoolRow[]> {
  const { pending, queued } = objectIn(await node.request('txpool_contentFrom', [sender]))
  return poolRows({ pending: { [sender]: pending }, queued: { [sender]: queued } })
}

async function conditionsOf(node: Node, rows: readonly PoolRow[]): Promise<ReadonlyMap<string, TransactionCondition>> {
  // Pending ones go with the next flashblock, so the queued ones come first.
  const asked = rows.toSorted(queuedFirst).slice(0, MAX_REASONS)
  const statuses = await Promise.all(
    asked.map(({ hash }) => node.request('tickertape_transactionStatus', [hash]).catch(() => undefined)),
  )
  return new Map(asked.map(({ hash }, index) => [hash, transactionCondition(statuses[index])] as const))
}

function queuedFirst(a: PoolRow, b: PoolRow): number {
  return Number(a.state === 'pending') - Number(b.state === 'pending')
}
