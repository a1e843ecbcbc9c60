import { compact, decimalOf, durationText, grouped, shortHex } from '../../live/amount.ts'
import { staleForMs } from '../../live/connection.ts'
import {
  busiestGas,
  type LiveTransaction,
  liveSummary,
  liveTransactions,
  slotPlaces,
  withPast,
} from '../../live/live-summary.ts'
import type { Names } from '../../live/names/names.ts'
import { visibilityNow } from '../../live/sent-to-visible.ts'
import type { Timeline, TimelineBlock } from '../../live/timeline.ts'
import { callName } from './call-names.ts'
import { poolText } from './event-output.ts'
import { plainText } from './plain-text.ts'
import { EMPTY_LINE, type ScreenLine, type Span, span, spread, widthOf } from './screen-line.ts'
import { contentText, slotLines, sparkLine } from './slot-lines.ts'
import type { WatchState } from './watch-state.ts'

export interface ScreenSize {
  readonly columns: number
  readonly rows: number
}

const MAX_BLOCKS = 8
/** Rows from which bars have three rows instead of one. */
const TALL = 20

/** The whole screen, one line per row. */
export function watchScreen(state: WatchState, { columns, rows }: ScreenSize, now: number): readonly ScreenLine[] {
  const head = [
    titleLine(state, columns, now),
    EMPTY_LINE,
    ...openLines(state, columns, rows),
    ...figureLines(state, columns),
  ]
  const rest = Math.max(0, rows - head.length - 1)
  const body = [...head, ...historyLines(state, rest)].slice(0, Math.max(0, rows - 1))
  const padding = Array.from({ length: Math.max(0, rows - 1 - body.length) }, () => EMPTY_LINE)
  return [...body, ...padding, keysLine(state)]
}

function titleLine(state: WatchState, columns: number, now: number): ScreenLine {
  const { url, node } = state
  const chain = node === undefined ? '' : ` · chain ${node.chainId} · ${plainText(node.clientVersion, 60)}`
  return spread([span('Tickertape watch', 'title'), span(`  ${url}${chain}`)], [connectionSpan(state, now)], columns)
}

function connectionSpan({ connection, live }: WatchState, now: number): Span {
  const staleMs = staleForMs(connection, now)
  const age = staleMs === undefined ? '' : `, shown data are ${durationText(staleMs)} old`
  if (live.isPaused) return span('paused', 'busy')
  switch (connection.kind) {
    case 'live':
      return span('live', 'good')
    case 'polling':
      return span(`no WebSocket, polling${age}`, 'busy')
    case 'connecting':
      return span('connecting', 'busy')
    case 'offline':
      return span(`not connected, trying again${age}`, 'bad')
  }
}

function openLines({ live }: WatchState, columns: number, rows: number): readonly ScreenLine[] {
  const { shown: timeline, mode } = live
  const { open, slotsPerBlock } = timeline
  if (open === undefined) return [[span('Waiting for the next block ...', 'muted')], EMPTY_LINE]
  if (mode === 'blocks') {
    return [
      [span(`Block ${grouped(open.number)}`, 'title'), span(`  ${contentText(open)}`)],
      [span('This node announces no flashblocks: blocks appear when they are sealed.', 'muted')],
      EMPTY_LINE,
    ]
  }
  const slots = `${open.slots.length} of ${slotsPerBlock} flashblocks${open.isPartial ? ', partly seen' : ''}`
  return [
    [
      span(`Block ${grouped(open.number)}`, 'title'),
      span(open.isSealed ? '  sealed' : '  open', open.isSealed ? 'good' : 'busy'),
      span(`  ${slots} · ${contentText(open)}`),
    ],
    ...slotLines(timeline, columns, rows < TALL ? 1 : 3),
    EMPTY_LINE,
  ]
}

function figureLines({ live, pool }: WatchState, columns: number): readonly ScreenLine[] {
  const { latenessP50, latenessP99, transactionsPerSecond, gasPerSecond } = liveSummary(live.shown)
  const lateness = live.mode === 'blocks' ? 'Block lateness' : 'Slot lateness'
  const visible = visibilityNow(live.visibility)
  const poolSize = pool === 'unavailable' ? 'not offered by this node' : pool === undefined ? '-' : poolText(pool)
  return [
    ...figures(columns, [
      ['Transactions', `${rateText(transactionsPerSecond)}/s`],
      ['Gas', `${rateText(gasPerSecond)}/s`],
      ['Pool', poolSize],
    ]),
    ...figures(columns, [
      [lateness, quantilesText(latenessP50, latenessP99)],
      ['Sent to visible', quantilesText(visible.p50, visible.p99)],
    ]),
    EMPTY_LINE,
  ]
}

/** Labels and values in one line, or in one line each where they do not fit. */
function figures(columns: number, pairs: readonly (readonly [label: string, value: string])[]): readonly ScreenLine[] {
  const lines = pairs.map(([label, value]) => [span(`${label} `, 'muted'), span(value, 'title')])
  const joined = lines.flatMap((line, index) => (index === 0 ? line : [span('   '), ...line]))
  return widthOf(joined) <= columns ? [joined] : lines
}

function quantilesText(p50: number | undefined, p99: number | undefined): string {
  return p50 === undefined ? '-' : `p50 ${p50} ms, p99 ${p99} ms`
}

function rateText(rate: number | undefined): string {
  return rate === undefined ? '-' : compact(rate < 10 ? Math.round(rate * 10) / 10 : Math.round(rate))
}

/** Sealed blocks and transactions, newest first, in the rows that are left. */
function historyLines({ live: { shown, past }, names }: WatchState, rows: number): readonly ScreenLine[] {
  const timeline = withPast(shown, past)
  const blocks = timeline.sealed.toReversed().slice(0, Math.min(MAX_BLOCKS, Math.ceil(rows / 2)))
  const transactions = liveTransactions(timeline).slice(0, Math.max(0, rows - blocks.length - 1))
  const busiest = busiestGas(timeline)
  return [
    ...blocks.map((block) => blockLine(block, timeline, busiest)),
    EMPTY_LINE,
    ...transactions.map((one) => transactionLine(one, timeline, names)),
  ]
}

function blockLine(block: TimelineBlock, { slotsPerBlock }: Timeline, busiest: bigint): ScreenLine {
  return [
    span(grouped(block.number).padStart(11)),
    span('  '),
    ...sparkLine(slotPlaces(block, slotsPerBlock), busiest),
    span(`  ${contentText(block)}`),
    ...(block.isPartial ? [span('  partly seen', 'muted')] : []),
  ]
}

/** Columns of the recipient and the method; longer names are cut. */
const RECIPIENT = 15
const METHOD = 14

function transactionLine(transaction: LiveTransaction, { slotsPerBlock }: Timeline, names: Names): ScreenLine {
  const { hash, to, selector, blockNumber, flashblock } = transaction
  const slot = slotsPerBlock > 1 ? `/${flashblock}` : ''
  const method = selector === '' ? 'transfer' : callName(selector)
  const recipient =
    to === undefined ? 'new contract' : `to ${names.of(to)?.name ?? shortHex(plainText(to, 42), 4).padEnd(12)}`
  const moved = movedText(transaction, names)
  return [
    span(`${grouped(blockNumber)}${slot}`.padStart(14)),
    span(`  ${shortHex(plainText(hash, 66))}`),
    span(`  ${recipient.slice(0, RECIPIENT).padEnd(RECIPIENT)}`, 'muted'),
    span(`  ${plainText(method, METHOD).padEnd(METHOD)}`),
    span(`  ${moved}`, moved === NO_ETHER ? 'muted' : 'plain'),
  ]
}

const NO_ETHER = '0 ETH'

/** The ether of a transaction, or the tokens of a listed stock that its call names. */
function movedText({ to, value, tokenAmount }: LiveTransaction, names: Names): string {
  const stock = names.stock(to)
  if (stock === undefined || tokenAmount === undefined || value > 0n) return `${decimalOf(value, 18)} ETH`
  return `${decimalOf(tokenAmount, stock.decimals)} ${stock.symbol}`
}

function keysLine({ live: { isPaused, queued, forgotten } }: WatchState): ScreenLine {
  if (!isPaused) return [span('q quit   p pause', 'muted')]
  const skipped = forgotten > 0 ? `, ${forgotten} skipped` : ''
  return [span(`q quit   p resume   s step   ${queued} waiting${skipped}`, 'muted')]
}
