import { formatDecimal } from '../../../primitives/decimal.ts'
import { MULTIPLIER_DECIMALS } from '../../../primitives/stocks/split-ratio.ts'
import { oneLine } from '../../../primitives/text/foreign-text.ts'
import type { Named } from '../chain/contracts.ts'
import type { ReadBlock } from '../chain/multicall.ts'
import type { Change, ExecutedChange } from '../state/change.ts'
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

export const ARROW = '->'
const LABEL_WIDTH = 13

/** @param object of the verb, such as `10 MRDTLd to 0x...` */
export function changeReport(verb: Verb, object: string, change: Change): Report {
  const { before, after } = change
  const rows: [string, string][] = [
    ['stock', `${oneLine(after.symbol)} ${after.address}`],
    ...stateRows(before, after),
    ...executedRows(change, after.decimals),
  ]
  return { text: [headlineOf(verb, object, change), ...labelled(rows)].join('\n'), value: changeValue(change) }
}

/** The first line of a report about a transaction. */
export function headlineOf([done, todo]: Verb, object: string, { included }: ExecutedChange<unknown>): string {
  return oneLine(included === undefined ? `Would ${todo} ${object}. Nothing was sent.` : `${done} ${object}`)
}

/** Rows about a transaction. @param decimals of the amounts in its events */
export function executedRows(
  { included, sender, gasUsed, events }: ExecutedChange<unknown>,
  decimals: number,
): [string, string][] {
  return [
    ['sender', sender],
    ...(included === undefined ? [] : includedRows(included)),
    ['gas', String(gasUsed)],
    ...events.map((event, index): [string, string] => [index === 0 ? 'events' : '', eventText(event, decimals)]),
  ]
}

/** A report of what was read of a stock. */
export function factsReport(
  title: string,
  rows: readonly (readonly [label: string, text: string])[],
  { stock, block, value }: { readonly stock: StockState; readonly block: ReadBlock; readonly value: object },
): Report {
  const width = Math.max(LABEL_WIDTH, ...rows.map(([label]) => label.length + 2))
  const lines = rows.map(([label, text]) => `  ${label.padEnd(width)}${oneLine(text)}`)
  const at = `  ${'block'.padEnd(width)}${block.number} of ${formatTime(block.timestamp)}`
  return {
    text: [title, ...lines, at].join('\n'),
    value: { block: blockValue(block), stock: { address: stock.address, symbol: stock.symbol }, ...value },
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

function changeValue(change: Change): Readonly<Record<string, unknown>> {
  const { before, after } = change
  return {
    ...executedValue(change),
    before: before === undefined ? null : stockValue(before),
    after: stockValue(after),
  }
}

/** Members about a transaction. */
export function executedValue({
  included,
  sender,
  gasUsed,
  events,
}: ExecutedChange<unknown>): Readonly<Record<string, unknown>> {
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

/** Members of a stock that change, for people, by label. */
export function facts(stock: StockState): Readonly<Record<string, string>> {
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

/** Lines with a label each. */
export function labelled(rows: readonly (readonly [string, string])[]): string[] {
  return rows.map(([label, text]) => `  ${label.padEnd(LABEL_WIDTH)}${text}`)
}
