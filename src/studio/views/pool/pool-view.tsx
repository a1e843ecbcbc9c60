import { useState } from 'preact/hooks'
import { decimalOf, gasPriceText, grouped } from '../../../live/amount.ts'
import { MAX_POOL_ROWS, type PoolRow, poolRows } from '../../model/pool-rows.ts'
import {
  shortWaitText,
  type TransactionCondition,
  transactionCondition,
  waitText,
} from '../../model/transaction-status.ts'
import { useNow, useStore, useStudio } from '../../studio.ts'
import { Badge, LoadedContent, Notice, Panel } from '../../widgets/layout.tsx'
import { AddressText, TransactionLink } from '../../widgets/text.tsx'
import { useRequest } from '../../widgets/use-request.ts'
import { type Column, VirtualTable } from '../../widgets/virtual-table.tsx'

/** Milliseconds between reads: the whole pool may be large. */
const INTERVAL_MS = 2_000
/** Waiting transactions whose reason is read, a request each. */
const MAX_REASONS = 100

/** The transaction pool by sender and nonce, with what each transaction waits for. */
export function PoolPanel() {
  const { client, capabilities } = useStudio()
  const found = useStore(capabilities)
  const tick = Math.floor(useNow() / INTERVAL_MS)
  const load = () => readPool(client, found?.transactionStatus === true)
  const loaded = useRequest(found?.pool ? 'pool' : undefined, load, tick)
  return (
    <div class="view">
      <h1>Pool</h1>
      {found?.pool === false ? (
        <Notice>This node does not offer txpool_content.</Notice>
      ) : (
        <LoadedContent loaded={loaded}>{(pool) => <PoolTable pool={pool} />}</LoadedContent>
      )}
    </div>
  )
}

interface Pool {
  readonly rows: readonly PoolRow[]
  readonly conditions: ReadonlyMap<string, TransactionCondition>
}

interface Node {
  request(method: string, params?: readonly unknown[]): Promise<unknown>
}

async function readPool(node: Node, hasStatus: boolean): Promise<Pool> {
  const rows = poolRows(await node.request('txpool_content'))
  // Pending ones go with the next flashblock, so the queued ones come first.
  const asked = hasStatus ? rows.toSorted(queuedFirst).slice(0, MAX_REASONS) : []
  const statuses = await Promise.all(
    asked.map(({ hash }) => node.request('tickertape_transactionStatus', [hash]).catch(() => undefined)),
  )
  const conditions = asked.map(({ hash }, index) => [hash, transactionCondition(statuses[index])] as const)
  return { rows, conditions: new Map(conditions) }
}

function queuedFirst(a: PoolRow, b: PoolRow): number {
  return Number(a.state === 'pending') - Number(b.state === 'pending')
}

const FILTERS = ['all', 'pending', 'queued'] as const

function PoolTable({ pool: { rows, conditions } }: { readonly pool: Pool }) {
  const [filter, setFilter] = useState<(typeof FILTERS)[number]>('all')
  const counts = { all: rows.length, pending: 0, queued: 0 }
  for (const { state } of rows) counts[state] += 1
  const choice = (
    <fieldset class="choice">
      <legend class="visually-hidden">Transactions that are shown</legend>
      {FILTERS.map((one) => (
        <button key={one} type="button" aria-pressed={one === filter} onClick={() => setFilter(one)}>
          {one} <span class="muted">{grouped(counts[one])}</span>
        </button>
      ))}
    </fieldset>
  )
  return (
    <Panel title="Transactions" aside={choice}>
      <VirtualTable
        label="Pooled transactions"
        rows={filter === 'all' ? rows : rows.filter(({ state }) => state === filter)}
        columns={columnsOf(conditions)}
        keyOf={({ hash }) => hash}
        maxVisible={18}
        empty="The pool is empty."
      />
      {rows.length === MAX_POOL_ROWS && <Notice>The first {grouped(MAX_POOL_ROWS)} transactions are shown.</Notice>}
    </Panel>
  )
}

function columnsOf(conditions: Pool['conditions']): readonly Column<PoolRow>[] {
  return [
    { title: 'Sender', width: 'minmax(9rem, 1fr)', cell: ({ from }) => <AddressText address={from} /> },
    { title: 'Nonce', width: '4.5rem', align: 'end', cell: ({ nonce }) => grouped(nonce) },
    { title: 'Transaction', width: 'minmax(9rem, 1fr)', cell: ({ hash }) => <TransactionLink hash={hash} /> },
    {
      title: 'To',
      width: 'minmax(9rem, 1fr)',
      cell: ({ to }) => (to === undefined ? <span class="muted">new contract</span> : <AddressText address={to} />),
    },
    {
      title: 'Value (ETH)',
      width: 'minmax(5.5rem, 0.7fr)',
      align: 'end',
      cell: ({ value }) =>
        value === 0n ? <span class="muted">0</span> : <span title={decimalOf(value, 18)}>{decimalOf(value, 18)}</span>,
    },
    {
      title: 'Offers',
      width: 'minmax(6rem, 0.7fr)',
      align: 'end',
      cell: ({ maxFee, gasPrice }) => gasPriceText(maxFee ?? gasPrice ?? 0n),
    },
    {
      title: 'State',
      width: '5.5rem',
      cell: ({ state }) => <Badge tone={state === 'pending' ? 'good' : 'busy'}>{state}</Badge>,
    },
    {
      title: 'Waits for',
      width: 'minmax(9rem, 1fr)',
      cell: ({ hash }) => {
        const condition = conditions.get(hash)
        if (condition === undefined) return ''
        return (
          <span class="muted" title={waitText(condition)}>
            {shortWaitText(condition)}
          </span>
        )
      },
    },
  ]
}
