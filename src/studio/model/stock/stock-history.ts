import { decodeEventLog } from 'viem'
import { decimalOf, shortHex, timeText } from '../../../live/amount.ts'
import { MULTIPLIER_DECIMALS } from '../../../primitives/stocks/split-ratio.ts'
import type { LogObject } from '../chain-objects.ts'
import { visibleText } from '../visible-text.ts'
import { pausableName, STOCK_ABI } from './stock-contract.ts'

type Decoded = ReturnType<typeof decodeEventLog<typeof STOCK_ABI>>

/** An event of a stock with its place in the chain. */
export type StockEvent = Decoded & {
  readonly blockNumber: number
  readonly index: number
  readonly transactionHash: string
}

/** The events of a stock among its logs, in the same order. */
export function stockEvents(logs: readonly LogObject[]): readonly StockEvent[] {
  return logs.flatMap(({ topics, data, blockNumber, index, transactionHash }) => {
    if (blockNumber === undefined || transactionHash === undefined) return []
    try {
      const event = decodeEventLog({ abi: STOCK_ABI, topics: topics as never, data: data as `0x${string}` })
      return [{ ...event, blockNumber, index: index ?? 0, transactionHash }]
    } catch {
      // An event that the page does not follow.
      return []
    }
  })
}

/** A value from a block on. */
export interface ValueStep {
  readonly block: number
  readonly value: bigint
}

const ZERO_ADDRESS = `0x${'00'.repeat(20)}`

/**
 * The supply over the blocks of the events, backwards from a known one: tokens of the genesis have no event.
 *
 * @param supply after the last event
 * @param fromBlock oldest block whose events are given
 */
export function supplySteps(events: readonly StockEvent[], supply: bigint, fromBlock: number): readonly ValueStep[] {
  const steps: ValueStep[] = []
  let value = supply
  for (const event of events.toReversed()) {
    const change = supplyChange(event)
    if (change === 0n) continue
    // Only the last value of a block counts.
    if (steps.at(-1)?.block !== event.blockNumber) steps.push({ block: event.blockNumber, value })
    value -= change
  }
  return withFirst(steps.toReversed(), fromBlock, value)
}

/** Base units by which an event changed the supply. */
function supplyChange(event: StockEvent): bigint {
  if (event.eventName !== 'Transfer') return 0n
  const { from, to, amount } = event.args
  return (from === ZERO_ADDRESS ? amount : 0n) - (to === ZERO_ADDRESS ? amount : 0n)
}

/** A split by its time; `block` is that of its event. */
export interface ScheduledSplit {
  readonly block: number
  readonly multiplier: bigint
  readonly effectiveAt: bigint
}

/** Splits that were scheduled and not cancelled, oldest first. No event marks the time at which one takes effect. */
export function scheduledSplits(events: readonly StockEvent[]): readonly ScheduledSplit[] {
  const immediate = new Set(
    events.flatMap(({ eventName, transactionHash }) => (eventName === 'MultiplierUpdated' ? [transactionHash] : [])),
  )
  let splits: readonly ScheduledSplit[] = []
  for (const event of events) {
    if (event.eventName === 'UIMultiplierUpdateCancelled') {
      const { cancelledEffectiveAt } = event.args
      splits = splits.filter(({ effectiveAt }) => effectiveAt !== cancelledEffectiveAt)
    } else if (event.eventName === 'UIMultiplierUpdated' && !immediate.has(event.transactionHash)) {
      const { newMultiplier: multiplier, effectiveAt } = event.args
      splits = [...splits, { block: event.blockNumber, multiplier, effectiveAt }]
    }
  }
  return splits
}

/**
 * The multiplier over the blocks of the events.
 *
 * @param multiplier current one
 * @param effectiveBlocks first block at or after the time of each scheduled split that is due, by its time
 */
export function multiplierSteps(
  events: readonly StockEvent[],
  multiplier: bigint,
  fromBlock: number,
  effectiveBlocks: ReadonlyMap<bigint, number>,
): readonly ValueStep[] {
  const steps: ValueStep[] = events.flatMap((event) =>
    event.eventName === 'MultiplierUpdated' ? [{ block: event.blockNumber, value: event.args.multiplier }] : [],
  )
  for (const split of scheduledSplits(events)) {
    const block = effectiveBlocks.get(split.effectiveAt)
    if (block !== undefined) steps.push({ block, value: split.multiplier })
  }
  const first = events.find(({ eventName }) => eventName === 'UIMultiplierUpdated')
  const before = first?.eventName === 'UIMultiplierUpdated' ? first.args.oldMultiplier : multiplier
  return withFirst(
    steps.sort((a, b) => a.block - b.block),
    fromBlock,
    before,
  )
}

function withFirst(steps: readonly ValueStep[], fromBlock: number, value: bigint): readonly ValueStep[] {
  return steps[0]?.block === fromBlock ? steps : [{ block: fromBlock, value }, ...steps]
}

/** Steps as rows of a chart: blocks, then values, which lose digits as numbers. The last value goes on to `toBlock`. */
export function chartRows(
  steps: readonly ValueStep[],
  decimals: number,
  toBlock: number,
): readonly (readonly (number | null)[])[] {
  const all = [...steps.filter(({ block }) => block < toBlock), { block: toBlock, value: steps.at(-1)?.value ?? 0n }]
  return [all.map(({ block }) => block), all.map(({ value }) => Number(value) / 10 ** decimals)]
}

/** Accounts of the transfers, the latest ones first. */
export function holdersIn(events: readonly StockEvent[]): readonly string[] {
  const accounts = events
    .toReversed()
    .flatMap((event) => (event.eventName === 'Transfer' ? [event.args.to, event.args.from] : []))
    .map((account) => account.toLowerCase())
  return [...new Set(accounts)].filter((account) => account !== ZERO_ADDRESS)
}

const MAX_TEXT = 120

/** An event other than a transfer between accounts, as a line; `undefined` for those. */
export function stockEventText(event: StockEvent, decimals: number): string | undefined {
  switch (event.eventName) {
    case 'Transfer': {
      const { from, to, amount } = event.args
      if (from === ZERO_ADDRESS) return `issued ${decimalOf(amount, decimals)} to ${shortHex(to.toLowerCase())}`
      return to === ZERO_ADDRESS
        ? `redeemed ${decimalOf(amount, decimals)} of ${shortHex(from.toLowerCase())}`
        : undefined
    }
    case 'Paused':
      return `paused ${event.args.features.map(pausableName).join(', ')}`
    case 'Unpaused':
      return `unpaused ${event.args.features.map(pausableName).join(', ')}`
    case 'UIMultiplierUpdated': {
      const { oldMultiplier, newMultiplier, effectiveAt } = event.args
      const change = `${decimalOf(oldMultiplier, MULTIPLIER_DECIMALS)} → ${decimalOf(newMultiplier, MULTIPLIER_DECIMALS)}`
      return `multiplier ${change}, effective ${timeText(effectiveAt)}`
    }
    case 'UIMultiplierUpdateCancelled':
      return `cancelled the split of ${timeText(event.args.cancelledEffectiveAt)}`
    case 'Announcement': {
      const { id, description, uri } = event.args
      return `announced ${[id, description, uri].filter(Boolean).map(lineOf).join(' · ')}`
    }
    // UIMultiplierUpdated follows and says more.
    case 'MultiplierUpdated':
      return undefined
  }
}

function lineOf(text: string): string {
  return visibleText(text, MAX_TEXT)
}
