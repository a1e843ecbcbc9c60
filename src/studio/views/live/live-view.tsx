import { useMemo, useState } from 'preact/hooks'
import { compact, grouped, numberOf, objectIn, percentOf } from '../../../live/amount.ts'
import type { LiveState } from '../../../live/live-feed.ts'
import { type LiveTransaction, liveSummary, liveTransactions, withPast } from '../../../live/live-summary.ts'
import { visibilityNow } from '../../../live/sent-to-visible.ts'
import { newestIn, type Timeline } from '../../../live/timeline.ts'
import { useNow, useStore, useStudio } from '../../client/studio.ts'
import { hrefOf } from '../../router/route.ts'
import { Notice, Panel } from '../../widgets/layout.tsx'
import { AddressText, CallValue, TransactionLink } from '../../widgets/text.tsx'
import { useRequest } from '../../widgets/use-request.ts'
import { type Column, column, numberColumn, VirtualTable } from '../../widgets/virtual-table.tsx'
import { selectorName } from '../method-name.ts'
import { BlockStrip } from './block-strip.tsx'
import { Punctuality, VisibilityPanel } from './punctuality.tsx'
import { TrafficButton } from './traffic-button.tsx'

/** The chain as it grows: the slots of the open block, what they contain, and how punctual they are. */
export function LiveView() {
  const { live } = useStudio()
  const state = useStore(live.state)
  const { shown, past, mode } = state
  const timeline = useMemo(() => withPast(shown, past), [shown, past])
  const [isExplained, setExplained] = useState(false)
  return (
    <div class="view live">
      <div class="title-row">
        <h1>Live</h1>
        <div class="buttons">
          <button type="button" aria-expanded={isExplained} onClick={() => setExplained(!isExplained)}>
            Explain
          </button>
          <TrafficButton />
          <PauseControls state={state} />
        </div>
      </div>
      <Figures state={state} timeline={timeline} isExplained={isExplained} />
      {mode === 'blocks' && <Notice>This node announces no flashblocks, so blocks appear when they are sealed.</Notice>}
      {timeline.open === undefined && timeline.sealed.length === 0 ? (
        <Panel>
          <Notice>{mode === 'starting' ? 'Connecting to the node …' : 'Waiting for the next block …'}</Notice>
        </Panel>
      ) : (
        <BlockStrip timeline={timeline} />
      )}
      <div class="columns">
        <RecentTransactions timeline={timeline} />
        <div>
          <VisibilityPanel visibility={state.visibility} />
          {(timeline.slotsPerBlock > 1 || timeline.latenesses.length > 0) && (
            <Punctuality timeline={timeline} isWhole={mode === 'blocks'} />
          )}
        </div>
      </div>
    </div>
  )
}

function PauseControls({ state }: { readonly state: LiveState }) {
  const { live } = useStudio()
  const { isPaused, queued, forgotten } = state
  if (!isPaused) {
    return (
      <button type="button" onClick={() => live.pause()} data-key="p">
        Pause
      </button>
    )
  }
  return (
    <div class="buttons">
      <span class="visually-hidden" role="status">
        Paused
      </span>
      <span class="muted">
        {queued} waiting{forgotten > 0 && `, ${forgotten} skipped`}
      </span>
      <button type="button" onClick={() => live.step()} disabled={queued === 0} data-key="s">
        Step
      </button>
      <button type="button" class="primary" onClick={() => live.resume()} data-key="p">
        Resume
      </button>
    </div>
  )
}

/** Milliseconds between reads of the pool. */
const POOL_INTERVAL_MS = 2_000

function Figures(props: { readonly state: LiveState; readonly timeline: Timeline; readonly isExplained: boolean }) {
  const { state, timeline, isExplained } = props
  const { client, capabilities } = useStudio()
  const summary = liveSummary(timeline)
  const visible = visibilityNow(state.visibility)
  const hasPool = useStore(capabilities)?.pool === true
  const tick = Math.floor(useNow() / POOL_INTERVAL_MS)
  const pool = useRequest(hasPool ? 'pool' : undefined, () => client.request('txpool_status'), tick)
  const { pending, queued } = objectIn(pool.kind === 'ready' ? pool.value : undefined)
  const height = newestIn(timeline)
  const { open } = timeline
  const gasShare = open === undefined ? undefined : percentOf(open.gasUsed, open.gasLimit)
  const figures: readonly (FigureText | undefined)[] = [
    {
      label: 'Block',
      value: height === undefined ? '–' : grouped(height),
      note: gasNote(open?.isSealed === false, gasShare),
      explanation: 'Height of the newest block. An open block still receives a flashblock every slot.',
    },
    {
      label: 'Transactions',
      value: rateText(summary.transactionsPerSecond),
      note: 'per second',
      explanation: 'Included transactions a second, over the last ten seconds.',
    },
    {
      label: 'Gas',
      value: rateText(summary.gasPerSecond),
      note: 'per second',
      explanation: 'Gas that they used a second, over the last ten seconds.',
    },
    {
      label: state.mode === 'blocks' ? 'Block lateness' : 'Slot lateness',
      value: summary.latenessP50 === undefined ? '–' : `${summary.latenessP50} ms`,
      note: summary.latenessP99 === undefined ? 'median of 10 s' : `p99 ${summary.latenessP99} ms`,
      explanation: 'How much later than usual the last ones arrived at this page.',
    },
    {
      label: 'Sent to visible',
      value: visible.p50 === undefined ? '–' : `${visible.p50} ms`,
      note: visible.p99 === undefined ? 'median of 10 s' : `p99 ${visible.p99} ms`,
      explanation: 'From sending a transaction to the flashblock that contains it.',
    },
    hasPool
      ? {
          label: 'Pool',
          value: grouped(numberOf(pending) ?? 0),
          note: `pending · ${grouped(numberOf(queued) ?? 0)} queued`,
          explanation: 'Pending ones go into the next flashblock; queued ones wait, mostly for a lower nonce.',
        }
      : undefined,
  ]
  return (
    <dl class="figures">
      {figures.map((figure) => figure && <Figure key={figure.label} figure={figure} isExplained={isExplained} />)}
    </dl>
  )
}

interface FigureText {
  readonly label: string
  readonly value: string
  readonly note: string
  readonly explanation: string
}

function Figure({ figure, isExplained }: { readonly figure: FigureText; readonly isExplained: boolean }) {
  const { label, value, note, explanation } = figure
  return (
    <div title={explanation}>
      <dt>{label}</dt>
      <dd>{value}</dd>
      <dd class="note">{note}</dd>
      {isExplained && <dd class="note">{explanation}</dd>}
    </div>
  )
}

function gasNote(isOpen: boolean, share: number | undefined): string {
  const state = isOpen ? 'open' : 'newest'
  return share === undefined ? state : `${state} · ${share.toFixed(share < 10 ? 1 : 0)} % of gas`
}

function rateText(rate: number | undefined): string {
  return rate === undefined ? '–' : compact(rate < 10 ? Math.round(rate * 10) / 10 : Math.round(rate))
}

const COLUMNS: readonly Column<LiveTransaction>[] = [
  column('Transaction', 'minmax(8.5rem, 1.4fr)', ({ hash }) => <TransactionLink hash={hash} />),
  column('Slot', 'minmax(5.5rem, 1fr)', ({ blockNumber, flashblock }) => (
    <a href={hrefOf({ view: 'block', id: String(blockNumber), flashblock })}>
      {blockNumber} <span class="muted">/ {flashblock}</span>
    </a>
  )),
  column('To', 'minmax(8.5rem, 1.3fr)', ({ to }) =>
    to === undefined ? <span class="muted">new contract</span> : <AddressText address={to} />,
  ),
  column('Method', 'minmax(6rem, 1fr)', ({ selector }) => <MethodText selector={selector} />),
  numberColumn('Value', 'minmax(8rem, 1.2fr)', ({ to, value, tokenAmount }) => (
    <CallValue to={to} wei={value} tokenAmount={tokenAmount} />
  )),
]

function MethodText({ selector }: { readonly selector: string }) {
  const { abis } = useStudio()
  const { book } = useStore(abis.state)
  return selector === '' ? (
    <span class="muted">transfer</span>
  ) : (
    <span class="method">{selectorName(book, selector)}</span>
  )
}

function RecentTransactions({ timeline }: { readonly timeline: Timeline }) {
  const rows = useMemo(() => liveTransactions(timeline), [timeline])
  return (
    <Panel title="Transactions" aside={<span class="muted">newest first</span>}>
      <VirtualTable
        label="Newest transactions"
        rows={rows}
        columns={COLUMNS}
        keyOf={({ hash }) => hash}
        maxVisible={12}
        holdsWhileRead
        empty="No transaction in the newest blocks. Send one from an account page, or start demonstration traffic."
      />
    </Panel>
  )
}
