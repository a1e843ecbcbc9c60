import type { FlashblockArrival, TransactionSummary } from './flashblock-arrival.ts'

/** One slot of a block: the transactions that one flashblock added. */
export interface TimelineSlot {
  readonly index: number
  /** Hash of the block as of this slot. */
  readonly hash: string
  readonly arrivedAt: number
  readonly transactionCount: number
  /** Gas of its own transactions. */
  readonly gasUsed: bigint
  /** Milliseconds beyond the usual gap to the flashblock before; `undefined` while the usual gap is unknown. */
  readonly latenessMs: number | undefined
  /** The first ones only, and none for old blocks. */
  readonly transactions: readonly TransactionSummary[]
}

export interface TimelineBlock {
  readonly number: number
  readonly hash: string
  readonly parentHash: string
  /** Distinguishes blocks of one height. */
  readonly payloadId: string
  readonly timestamp: bigint
  readonly gasLimit: bigint
  readonly gasUsed: bigint
  readonly transactionCount: number
  readonly slots: readonly TimelineSlot[]
  /** Slots before the page connected are missing. */
  readonly isPartial: boolean
  /** The node announced it as a block: no slot follows. */
  readonly isSealed: boolean
  /** When it was announced as a block, or else when the next one began. */
  readonly sealedAt: number | undefined
}

/** The flashblocks of the last blocks, as they arrived. */
export interface Timeline {
  /** The newest block, which is usually open. */
  readonly open: TimelineBlock | undefined
  /** Oldest first. */
  readonly sealed: readonly TimelineBlock[]
  /** Slots of a complete block: of the longest one that is kept. */
  readonly slotsPerBlock: number
  /** Usual milliseconds between flashblocks, or blocks that come whole; `undefined` without a schedule. */
  readonly intervalMs: number | undefined
  /** Last gaps between flashblocks of one block, or between whole blocks, for `intervalMs`. */
  readonly gaps: readonly number[]
  /** Arrivals and lateness of the last minutes, oldest first. */
  readonly latenesses: readonly LatenessSample[]
  /** Newest blocks that another one of the same or a lower height replaced, also during a lost connection. */
  readonly replaced: number
  /** Messages that do not continue the block, such as after a lost one. */
  readonly skipped: number
}

export interface LatenessSample {
  readonly at: number
  readonly latenessMs: number
}

export type TimelineEvent =
  | { readonly kind: 'flashblock'; readonly arrival: FlashblockArrival }
  /** The node announced a block by its height. */
  | { readonly kind: 'sealed'; readonly number: number; readonly at: number }
  /** The connection was lost: the open block may have continued unseen. */
  | { readonly kind: 'lost' }

/** Sealed blocks that are kept. */
export const MAX_SEALED = 30
/** Newest blocks whose transactions are kept. */
const MAX_DETAILED = 8
const MAX_GAPS = 60
/** Gaps from which the usual one is known. */
const ENOUGH_GAPS = 5
/** Five minutes of slots of 200 ms. */
const MAX_LATENESSES = 1_500

export const EMPTY_TIMELINE: Timeline = {
  open: undefined,
  sealed: [],
  slotsPerBlock: 0,
  intervalMs: undefined,
  gaps: [],
  latenesses: [],
  replaced: 0,
  skipped: 0,
}

/** The timeline after an event. Bounded, whatever arrives. */
export function nextTimeline(before: Timeline, event: TimelineEvent): Timeline {
  if (event.kind === 'lost') return { ...before, open: undefined, sealed: sealedWith(before, before.open, false) }
  const { open } = before
  if (event.kind === 'sealed') {
    if (open?.number !== event.number || open.isSealed) return before
    return { ...before, open: { ...open, isSealed: true, sealedAt: event.at } }
  }
  const { arrival } = event
  if (open?.payloadId === arrival.payloadId) return continued(before, open, arrival)
  const last = before.sealed.at(-1)
  // After a reconnection the open block may go on.
  if (open === undefined && last?.payloadId === arrival.payloadId) {
    return continued({ ...before, sealed: before.sealed.slice(0, -1) }, last, arrival)
  }
  if (arrival.base !== undefined) return begun(before, arrival)
  if (open === undefined) return joined(before, arrival)
  const without = { ...before, open: undefined, sealed: sealedWith(before, open, false), skipped: before.skipped + 1 }
  return joined(without, arrival)
}

/** Height of the newest block of a timeline, open or sealed. */
export function newestIn({ open, sealed }: Timeline): number | undefined {
  return open?.number ?? sealed.at(-1)?.number
}

/** The block that a flashblock with index 0, or a whole block, begins. */
export function arrivedBlock(arrival: FlashblockArrival, latenessMs?: number): TimelineBlock {
  return {
    number: arrival.blockNumber,
    hash: arrival.blockHash,
    parentHash: arrival.base?.parentHash ?? '',
    payloadId: arrival.payloadId,
    timestamp: arrival.base?.timestamp ?? 0n,
    gasLimit: arrival.base?.gasLimit ?? 0n,
    gasUsed: arrival.gasUsed,
    transactionCount: arrival.transactionCount,
    slots: [slotOf(arrival, 0n, latenessMs)],
    isPartial: false,
    ...sealOf(arrival),
  }
}

/** A page that has just connected meets a block in its middle: what the block began with is unknown. */
function joined(before: Timeline, arrival: FlashblockArrival): Timeline {
  const { blockNumber: number, blockHash: hash, payloadId, gasUsed, transactionCount } = arrival
  const sealed = before.sealed.filter((block) => block.number < number)
  return {
    ...before,
    sealed,
    open: {
      number,
      hash,
      parentHash: '',
      payloadId,
      timestamp: 0n,
      gasLimit: sealed.at(-1)?.gasLimit ?? 0n,
      gasUsed,
      transactionCount,
      slots: [slotOf(arrival, gasUsed, undefined)],
      isPartial: true,
      ...sealOf(arrival),
    },
    slotsPerBlock: Math.max(before.slotsPerBlock, arrival.index + 1),
    replaced: before.replaced + (isReplacing(before, arrival) ? 1 : 0),
  }
}

function isReplacing(before: Timeline, arrival: FlashblockArrival): boolean {
  return arrival.blockNumber <= (newestIn(before) ?? -1) && !isKnown(before, arrival)
}

/**
 * Whether a block that is read whole after a lost connection is the one that flashblocks announced before, or its
 * parent. Sealing changes the hash, so the hash of the announced one cannot tell.
 */
function isKnown({ open, sealed }: Timeline, arrival: FlashblockArrival): boolean {
  const last = sealed.at(-1)
  if (open !== undefined || last === undefined || !arrival.isSealed) return false
  if (isWhole(last)) return false
  // The parent of a block that was joined in its middle is unknown.
  if (last.parentHash === '') return arrival.blockNumber >= last.number - 1
  return last.parentHash === arrival.base?.parentHash || last.parentHash === arrival.blockHash
}

function continued(before: Timeline, open: TimelineBlock, arrival: FlashblockArrival): Timeline {
  const last = open.slots.at(-1)!
  // After a reconnection the node repeats the open block from its first flashblock.
  if (arrival.index <= last.index) return before
  const gap = arrival.arrivedAt - last.arrivedAt
  const isNext = arrival.index === last.index + 1
  const gaps = isNext ? [...before.gaps, gap].slice(-MAX_GAPS) : before.gaps
  const intervalMs = usualGap(gaps)
  const latenessMs = latenessOf(isNext ? gap : undefined, intervalMs)
  const slots = [...open.slots, slotOf(arrival, open.gasUsed, latenessMs)]
  return {
    ...before,
    gaps,
    intervalMs,
    open: {
      ...open,
      hash: arrival.blockHash,
      gasUsed: arrival.gasUsed,
      transactionCount: open.transactionCount + arrival.transactionCount,
      slots,
      isPartial: open.isPartial || !isNext,
      isSealed: false,
      sealedAt: undefined,
    },
    slotsPerBlock: Math.max(before.slotsPerBlock, arrival.index + 1),
    latenesses: withSample(before.latenesses, arrival.arrivedAt, latenessMs),
    skipped: before.skipped + (isNext ? 0 : 1),
  }
}

/** A flashblock with index 0 opens a block, and so does a whole block. */
function begun(before: Timeline, arrival: FlashblockArrival): Timeline {
  const { open } = before
  const isNext = open !== undefined && arrival.blockNumber === open.number + 1 && arrival.base?.parentHash === open.hash
  // Blocks follow each other without a pause, so this gap shows lateness as any other.
  const gap = isNext && arrival.isPolled !== true ? arrival.arrivedAt - open.slots.at(-1)!.arrivedAt : undefined
  const gaps = gapsAcross(before, arrival, gap)
  const intervalMs = usualGap(gaps)
  const latenessMs = latenessOf(gap, intervalMs)
  const replaces = isReplacing(before, arrival)
  const ended = isNext ? { ...open, sealedAt: open.sealedAt ?? arrival.arrivedAt } : open
  const sealed = sealedWith(before, replaces ? undefined : ended, isNext).filter(
    ({ number }) => number < arrival.blockNumber,
  )
  return {
    ...before,
    open: arrivedBlock(arrival, latenessMs),
    sealed,
    gaps,
    intervalMs,
    slotsPerBlock: mostSlots(sealed),
    latenesses: withSample(before.latenesses, arrival.arrivedAt, latenessMs),
    replaced: before.replaced + (replaces ? 1 : 0),
  }
}

/** The gaps after the one before a block. A chain that changes to whole blocks, or from them, has another schedule. */
function gapsAcross(
  { gaps, open, sealed }: Timeline,
  { isSealed }: FlashblockArrival,
  gap: number | undefined,
): readonly number[] {
  const last = open ?? sealed.at(-1)
  if (last !== undefined && isWhole(last) !== isSealed) return []
  // Before the first flashblock of a block there is also the seal of the last one.
  return gap === undefined || !isSealed ? gaps : [...gaps, gap].slice(-MAX_GAPS)
}

/** The median, if most gaps are near it: blocks that are made on demand have no schedule to be late for. */
function usualGap(gaps: readonly number[]): number | undefined {
  if (gaps.length < ENOUGH_GAPS) return undefined
  const usual = median(gaps)
  const alike = gaps.filter((gap) => Math.abs(gap - usual) <= usual / 2)
  return 2 * alike.length > gaps.length ? Math.max(1, Math.round(usual)) : undefined
}

function latenessOf(gap: number | undefined, intervalMs: number | undefined): number | undefined {
  return gap === undefined || intervalMs === undefined ? undefined : Math.max(0, gap - intervalMs)
}

/** Whether a block came whole: its payload id is its hash. */
export function isWhole({ payloadId, hash }: TimelineBlock): boolean {
  return payloadId === hash
}

function sealOf({ isSealed, arrivedAt }: FlashblockArrival): Pick<TimelineBlock, 'isSealed' | 'sealedAt'> {
  return { isSealed, sealedAt: isSealed ? arrivedAt : undefined }
}

/** Slots of the longest block that is kept: the schedule of a node may change. */
function mostSlots(blocks: readonly TimelineBlock[]): number {
  return blocks.reduce((most, { slots }) => Math.max(most, (slots.at(-1)?.index ?? 0) + 1), 1)
}

function slotOf(arrival: FlashblockArrival, gasBefore: bigint, latenessMs: number | undefined): TimelineSlot {
  const { index, blockHash: hash, arrivedAt, transactionCount, transactions } = arrival
  return { index, hash, arrivedAt, transactionCount, gasUsed: arrival.gasUsed - gasBefore, latenessMs, transactions }
}

/** @param isComplete whether the following block continues exactly this one */
function sealedWith({ sealed }: Timeline, block: TimelineBlock | undefined, isComplete: boolean) {
  if (block === undefined) return sealed
  const all = [...sealed, isComplete ? block : { ...block, isPartial: true }].slice(-MAX_SEALED)
  const detailedFrom = all.length - MAX_DETAILED
  return all.map((each, position) => (position < detailedFrom ? withoutTransactions(each) : each))
}

function withoutTransactions(block: TimelineBlock): TimelineBlock {
  if (block.slots.every(({ transactions }) => transactions.length === 0)) return block
  return { ...block, slots: block.slots.map((slot) => ({ ...slot, transactions: [] })) }
}

function withSample(
  samples: readonly LatenessSample[],
  at: number,
  latenessMs: number | undefined,
): readonly LatenessSample[] {
  return latenessMs === undefined ? samples : [...samples, { at, latenessMs }].slice(-MAX_LATENESSES)
}

function median(values: readonly number[]): number {
  return values.toSorted((a, b) => a - b)[values.length >> 1]!
}
