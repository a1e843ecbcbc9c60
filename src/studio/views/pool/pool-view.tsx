import { useState } from 'preact/hooks'
import { decimalOf, gasPriceText, grouped, numberOf, objectIn, shortHex } from '../../../live/amount.ts'
import type { NodeRequests } from '../../../live/http-rpc.ts'
import { errorText } from '../../../live/request-error.ts'
import { useNow, useStore, useStudio } from '../../client/studio.ts'
import { addressFrom } from '../../model/control.ts'
import { MAX_POOL_ROWS, type PoolRow, poolRows } from '../../model/pool-rows.ts'
import {
  shortWaitText,
  type TransactionCondition,
  transactionCondition,
  waitText,
} from '../../model/transaction-status.ts'
import { goTo } from '../../router/use-route.ts'
import { Badge, LoadedContent, Notice, Panel } from '../../widgets/layout.tsx'
import { AddressText, TransactionLink } from '../../widgets/text.tsx'
import { useRequest } from '../../widgets/use-request.ts'
import { type Column, column, numberColumn, VirtualTable } from '../../widgets/virtual-table.tsx'
import { ReplacePart } from './replace-part.tsx'

/** Milliseconds between reads: the whole pool may be large. */
const INTERVAL_MS = 2_000

/** The transaction pool by sender and nonce, with what each transaction waits for. */
export function PoolPanel({ sender }: { readonly sender: string | undefined }) {
  const { client, capabilities } = useStudio()
  const found = useStore(capabilities)
  const [changes, setChanges] = useState(0)
  const tick = Math.floor(useNow() / INTERVAL_MS)
  const load = () => readPool(client, { sender, hasStatus: found?.transactionStatus === true })
  const loaded = useRequest(found?.pool ? `pool ${sender}` : undefined, load, `${tick} ${changes}`)
  return (
    <div class="view">
      <h1>Pool</h1>
      {found?.pool === false ? (
        <Notice>This node does not offer txpool_content.</Notice>
      ) : (
        <>
          <SenderFilter key={sender} sender={sender} />
          <LoadedContent loaded={loaded}>
            {(pool) => <PoolContent pool={pool} onChange={() => setChanges((count) => count + 1)} />}
          </LoadedContent>
        </>
      )}
    </div>
  )
}

/** Chooses whose transactions are shown; the address of the page holds it. */
function SenderFilter({ sender }: { readonly sender: string | undefined }) {
  const [text, setText] = useState(sender ?? '')
  const [problem, setProblem] = useState<string>()
  const submit = (event: Event) => {
    event.preventDefault()
    try {
      goTo(text.trim() === '' ? { view: 'pool' } : { view: 'pool', sender: addressFrom(text) })
    } catch (error) {
      setProblem(errorText(error))
    }
  }
  return (
    <form class="line-form" onSubmit={submit}>
      <label>
        <span>Sender</span>
        <input
          value={text}
          placeholder="all senders, or 0x…"
          spellcheck={false}
          onInput={({ currentTarget }) => setText(currentTarget.value)}
        />
      </label>
      <button type="submit">Show</button>
      {problem !== undefined && <Notice kind="problem">{problem}</Notice>}
    </form>
  )
}

function PoolContent({ pool, onChange }: { readonly pool: PoolPage; readonly onChange: () => void }) {
  const { client } = useStudio()
  const [replaced, setReplaced] = useState<PoolRow>()
  const [outcome, setOutcome] = useState<string>()
  const drop = async ({ hash }: PoolRow) => {
    const dropped = client
      .request('anvil_dropTransaction', [hash])
      .then((result) =>
        result === null || result === false ? 'The pool does not have it any more.' : `${shortHex(hash)} was dropped.`,
      )
    setOutcome(await dropped.catch(errorText))
    onChange()
  }
  if (pool.rows === undefined) {
    const { pending, queued } = pool.counts
    return (
      <Notice>
        The pool has {grouped(pending)} pending and {grouped(queued)} queued transactions, more than the{' '}
        {grouped(MAX_READ)} that the page reads together: choose a sender.
      </Notice>
    )
  }
  return (
    <>
      {replaced !== undefined && (
        <ReplacePart key={replaced.hash} row={replaced} onClose={() => setReplaced(undefined)} />
      )}
      {outcome !== undefined && (
        <p class="outcome-text" role="status">
          {outcome}
        </p>
      )}
      <PoolTable
        rows={pool.rows}
        conditions={pool.conditions}
        onReplace={setReplaced}
        onDrop={(row) => void drop(row)}
      />
    </>
  )
}

const FILTERS = ['all', 'pending', 'queued'] as const

interface TableProps {
  readonly rows: readonly PoolRow[]
  readonly conditions: PoolPage['conditions']
  readonly onReplace: (row: PoolRow) => void
  readonly onDrop: (row: PoolRow) => void
}

function PoolTable({ rows, conditions, onReplace, onDrop }: TableProps) {
  const { senders, capabilities } = useStudio()
  const accounts = new Set(useStore(senders.accounts).map((account) => account.toLowerCase()))
  const canDrop = useStore(capabilities)?.development === true
  const [filter, setFilter] = useState<(typeof FILTERS)[number]>('all')
  const shown = { all: rows.length, pending: 0, queued: 0 }
  for (const { state } of rows) shown[state] += 1
  const choice = (
    <fieldset class="choice">
      <legend class="visually-hidden">Transactions that are shown</legend>
      {FILTERS.map((one) => (
        <button key={one} type="button" aria-pressed={one === filter} onClick={() => setFilter(one)}>
          {one} <span class="muted">{grouped(shown[one])}</span>
        </button>
      ))}
    </fieldset>
  )
  const actions: Column<PoolRow> = column('Change', '8.5rem', (row) => (
    <span class="buttons">
      {accounts.has(row.from.toLowerCase()) && (
        <button type="button" class="link" onClick={() => onReplace(row)}>
          Replace
        </button>
      )}
      {canDrop && (
        <button type="button" class="link" onClick={() => onDrop(row)}>
          Drop
        </button>
      )}
    </span>
  ))
  const canChange = canDrop || accounts.size > 0
  return (
    <Panel title="Transactions" aside={choice}>
      <VirtualTable
        label="Pooled transactions"
        rows={filter === 'all' ? rows : rows.filter(({ state }) => state === filter)}
        columns={canChange ? [...columnsOf(conditions), actions] : columnsOf(conditions)}
        keyOf={({ hash }) => hash}
        maxVisible={18}
        empty="The pool has no such transaction."
      />
      {rows.length === MAX_POOL_ROWS && <Notice>The first {grouped(MAX_POOL_ROWS)} transactions are shown.</Notice>}
    </Panel>
  )
}

/** Amounts of a few wei would lose all their digits in a narrow column. */
function valueText(wei: bigint): string {
  return wei < 1_000_000n ? `${grouped(wei)} wei` : decimalOf(wei, 18)
}

function columnsOf(conditions: PoolPage['conditions']): readonly Column<PoolRow>[] {
  return [
    column('Sender', 'minmax(9rem, 1fr)', ({ from }) => <AddressText address={from} />),
    numberColumn('Nonce', '4.5rem', ({ nonce }) => grouped(nonce)),
    column('Transaction', 'minmax(9rem, 1fr)', ({ hash }) => <TransactionLink hash={hash} />),
    column('To', 'minmax(9rem, 1fr)', ({ to }) =>
      to === undefined ? <span class="muted">new contract</span> : <AddressText address={to} />,
    ),
    numberColumn('Value (ETH)', 'minmax(5.5rem, 0.7fr)', ({ value }) =>
      value === 0n ? <span class="muted">0</span> : <span title={decimalOf(value, 18)}>{valueText(value)}</span>,
    ),
    numberColumn('Offers', 'minmax(6rem, 0.7fr)', ({ maxFee, gasPrice }) => gasPriceText(maxFee ?? gasPrice ?? 0n)),
    column('State', '5.5rem', ({ state }) => <Badge tone={state === 'pending' ? 'good' : 'busy'}>{state}</Badge>),
    column('Waits for', 'minmax(9rem, 1fr)', ({ hash }) => {
      const condition = conditions.get(hash)
      if (condition === undefined) return ''
      return (
        <span class="muted" title={waitText(condition)}>
          {shortWaitText(condition)}
        </span>
      )
    }),
  ]
}

/** The pool, or its part of one sender. */
interface PoolPage {
  /** Transactions of the whole pool by state. */
  readonly counts: Readonly<Record<PoolRow['state'], number>>
  /** `undefined`: the pool is too large to be read as a whole. */
  readonly rows: readonly PoolRow[] | undefined
  readonly conditions: ReadonlyMap<string, TransactionCondition>
}

/** Pooled transactions that are read together: the node encodes each of them. */
const MAX_READ = 2_000
/** Waiting transactions whose reason is read, a request each. */
const MAX_REASONS = 100

/** @param sender reads only the transactions of this one */
async function readPool(
  node: NodeRequests,
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

async function rowsOf(node: NodeRequests, sender: string): Promise<readonly PoolRow[]> {
  const { pending, queued } = objectIn(await node.request('txpool_contentFrom', [sender]))
  return poolRows({ pending: { [sender]: pending }, queued: { [sender]: queued } })
}

async function conditionsOf(
  node: NodeRequests,
  rows: readonly PoolRow[],
): Promise<ReadonlyMap<string, TransactionCondition>> {
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
