import { formatDecimal } from '../../../primitives/decimal.ts'
import { MULTIPLIER_DECIMALS } from '../../../primitives/stocks/split-ratio.ts'
import { oneLine } from '../../../primitives/text/foreign-text.ts'
import type { Named } from '../chain/contracts.ts'
import type { Change } from '../state/change.ts'
import type { StockState } from '../state/stock-state.ts'
import { featureName } from '../terms/features.ts'
import { formatTime } from '../terms/split-time.ts'
import { eventText } from './event-text.ts'

/** Output of a command: `text` for people, `value` for programs (`--json`). */
export interface Report {
  readonly text: string
  readonly value: Readonly<Record<string, unknown>>
}

/** Verb of an action, in the past tense and in the infinitive: `Minted`, `mint`. */
export type Verb = readonly [done: string, todo: string]

const ARROW = '->'
const LABEL_WIDTH = 13

/** @param object of the verb, such as `10 MRDTLd to 0x...` */
export function changeReport([done, todo]: Verb, object: string, change: Change): Report {
  const { included, sender, gasUsed, before, after, events } = change
  const headline = included === undefined ? `Would ${todo} ${object}. Nothing was sent.` : `${done} ${object}`
  const rows: [string, string][] = [
    ['stock', `${oneLine(after.symbol)} ${after.address}`],
    ...stateRows(before, after),
    ['sender', sender],
    ...(included === undefined ? [] : includedRows(included)),
    ['gas', String(gasUsed)],
    ...events.map((event, index): [string, string] => [index === 0 ? 'events' : '', eventText(event, after.decimals)]),
  ]
  return { text: [oneLine(headline), ...labelled(rows)].join('\n'), value: changeValue(change) }
}

/** Report of one stock with all members. */
export function showReport(stock: StockState, block: { readonly number: number; readonly timestamp: number }): Report {
  const rows = [
    ['name', oneLine(stock.name)],
    ['address', stock.address],
    ['ISIN', oneLine(stock.isin) || 'none'],
    ['decimals', String(stock.decimals)],
    ...Object.entries(facts(stock)),
    ['block', `${block.number} of ${formatTime(block.timestamp)}`],
  ] as [string, string][]
  return {
    text: [oneLine(stock.symbol), ...labelled(rows)].join('\n'),
    value: { block: blockValue(block), stock: stockValue(stock) },
  }
}

export function blockValue({ number, timestamp }: { readonly number: number; readonly timestamp: number }): object {
  return { number, timestamp: formatTime(timestamp) }
}

/** Amounts and multipliers are decimal strings in the token's unit: a JSON number would round them. */
export function stockValue(stock: StockState): Readonly<Record<string, unknown>> {
  const { address, symbol, name, decimals, totalSupply, supplyCap, multiplier, scheduled, pausedFeatures, isin } = stock
  return {
    address,
    symbol,
    name,
    decimals,
    totalSupply: formatDecimal(totalSupply, decimals),
    supplyCap: supplyCap === undefined ? null : formatDecimal(supplyCap, decimals),
    multiplier: formatDecimal(multiplier, MULTIPLIER_DECIMALS),
    scheduledMultiplier:
      scheduled === undefined
        ? null
        : {
            multiplier: formatDecimal(scheduled.multiplier, MULTIPLIER_DECIMALS),
            effectiveAt: formatTime(scheduled.effectiveAt),
          },
    pausedFeatures: pausedFeatures.map(featureName),
    isin: isin || null,
  }
}

/** @example scheduledText(stock) // '3 from 2035-01-01T00:00:00Z on' */
export function scheduledText({ scheduled }: StockState): string {
  if (scheduled === undefined) return 'none'
  return `${formatDecimal(scheduled.multiplier, MULTIPLIER_DECIMALS)} from ${formatTime(scheduled.effectiveAt)} on`
}

function changeValue({ included, sender, gasUsed, before, after, events }: Change): Readonly<Record<string, unknown>> {
  return {
    dryRun: included === undefined,
    sender,
    gasUsed,
    transaction:
      included === undefined
        ? null
        : {
            hash: included.hash,
            blockNumber: included.blockNumber,
            blockHash: included.blockHash,
            flashblock: included.flashblock ?? null,
            milliseconds: included.waitMs,
          },
    before: before === undefined ? null : stockValue(before),
    after: stockValue(after),
    // Numbers in events stay in smallest units, as in the contract.
    events: events.map(({ name, args }: Named) => ({ name, arguments: args })),
  }
}

function includedRows({ hash, blockNumber, flashblock, waitMs }: NonNullable<Change['included']>): [string, string][] {
  const position = flashblock === undefined ? '' : `, flashblock ${flashblock}, pre-confirmed`
  return [
    ['transaction', hash],
    ['included in', `block ${blockNumber}${position} after ${waitMs} ms`],
  ]
}

/** Always the supply, other members if they changed, and everything for a new stock. */
function stateRows(before: StockState | undefined, after: StockState): [string, string][] {
  const now = facts(after)
  if (before === undefined) return Object.entries(now)
  const then = facts(before)
  return Object.entries(now).flatMap(([label, text]): [string, string][] => {
    const old = then[label]!
    if (old !== text) return [[label, `${old} ${ARROW} ${text}`]]
    return label === 'supply' ? [[label, text]] : []
  })
}

function facts(stock: StockState): Readonly<Record<string, string>> {
  const { totalSupply, supplyCap, decimals, multiplier } = stock
  return {
    supply: formatDecimal(totalSupply, decimals),
    cap: supplyCap === undefined ? 'none' : formatDecimal(supplyCap, decimals),
    multiplier: formatDecimal(multiplier, MULTIPLIER_DECIMALS),
    scheduled: scheduledText(stock),
    paused: pausedText(stock),
  }
}

export function pausedText({ pausedFeatures }: StockState): string {
  return pausedFeatures.map(featureName).join(', ') || 'none'
}

function labelled(rows: readonly (readonly [string, string])[]): string[] {
  return rows.map(([label, text]) => `  ${label.padEnd(LABEL_WIDTH)}${text}`)
}
