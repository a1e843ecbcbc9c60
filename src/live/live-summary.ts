import { percentOf } from './amount.ts'
import type { TransactionSummary } from './flashblock-arrival.ts'
import { quantileOf } from './quantiles.ts'
import { isWhole, MAX_SEALED, type Timeline, type TimelineBlock, type TimelineSlot } from './timeline.ts'

/** Rates and lateness over the last seconds. */
export interface LiveSummary {
  readonly transactionsPerSecond: number | undefined
  readonly gasPerSecond: number | undefined
  readonly latenessP50: number | undefined
  readonly latenessP99: number | undefined
}

const WINDOW_MS = 10_000
/** Shorter spans give no rate. */
const SHORTEST_MS = 1_000

/** A timeline that begins with the blocks before it, as far as its own blocks do not replace them. */
export function withPast(timeline: Timeline, past: readonly TimelineBlock[]): Timeline {
  const first = allBlocks(timeline)[0]?.number
  const older = first === undefined ? [] : past.filter(({ number }) => number < first)
  return older.length === 0 ? timeline : { ...timeline, sealed: [...older, ...timeline.sealed].slice(-MAX_SEALED) }
}

export function liveSummary(timeline: Timeline): LiveSummary {
  const slots = allBlocks(timeline).flatMap(({ slots }) => slots)
  const newest = slots.at(-1)?.arrivedAt ?? 0
  const recent = slots.filter(({ arrivedAt }) => arrivedAt > newest - WINDOW_MS)
  const spanMs = newest - (recent[0]?.arrivedAt ?? newest)
  // The first slot marks the beginning of the span: its content arrived before.
  const counted = recent.slice(1)
  const perSecond = (total: number) => (spanMs < SHORTEST_MS ? undefined : (total * 1_000) / spanMs)
  const latenesses = timeline.latenesses.filter(({ at }) => at > newest - WINDOW_MS).map(({ latenessMs }) => latenessMs)
  return {
    transactionsPerSecond: perSecond(sum(counted, ({ transactionCount }) => transactionCount)),
    gasPerSecond: perSecond(sum(counted, ({ gasUsed }) => Number(gasUsed))),
    latenessP50: quantileOf(latenesses, 0.5),
    latenessP99: quantileOf(latenesses, 0.99),
  }
}

/** A transaction with the slot that announced it. */
export interface LiveTransaction extends TransactionSummary {
  readonly blockNumber: number
  readonly flashblock: number
}

/** Transactions of the kept slots, newest first, without those of the protocol. */
export function liveTransactions(timeline: Timeline): readonly LiveTransaction[] {
  return allBlocks(timeline)
    .flatMap(({ number, slots }) =>
      slots.flatMap(({ index, transactions }) =>
        transactions.flatMap((one) =>
          one.isSystem === true ? [] : [{ ...one, blockNumber: number, flashblock: index }],
        ),
      ),
    )
    .reverse()
}

/** Slots of a block in their places; `undefined` for those that have not arrived. A whole block has one. */
export function slotPlaces(block: TimelineBlock, slotsPerBlock: number): readonly (TimelineSlot | undefined)[] {
  if (isWhole(block)) return block.slots
  const byIndex = new Map(block.slots.map((slot) => [slot.index, slot]))
  const length = Math.max(slotsPerBlock, (block.slots.at(-1)?.index ?? 0) + 1)
  return Array.from({ length }, (_, index) => byIndex.get(index))
}

/**
 * Gas of the busiest slot that is kept: the height of all bars is measured against it. Blocks that came whole count
 * only where all do.
 */
export function busiestGas(timeline: Timeline): bigint {
  const inSlots = allBlocks(timeline).filter((block) => !isWhole(block))
  return (inSlots.length === 0 ? allBlocks(timeline) : inSlots)
    .flatMap(({ slots }) => slots)
    .reduce((most, { gasUsed }) => (gasUsed > most ? gasUsed : most), 0n)
}

/**
 * Height of a slot's bar in percent, at most 100: a block that came whole may have more gas than the busiest slot. A
 * small amount of gas is still visible, and none is nothing.
 */
export function slotFill(slot: TimelineSlot | undefined, busiest: bigint): number {
  if (slot === undefined || slot.gasUsed === 0n) return 0
  return Math.min(100, Math.max(6, percentOf(slot.gasUsed, busiest)))
}

function allBlocks({ sealed, open }: Timeline): readonly TimelineBlock[] {
  return open === undefined ? sealed : [...sealed, open]
}

function sum<T>(values: readonly T[], of: (value: T) => number): number {
  return values.reduce((total, value) => total + of(value), 0)
}
