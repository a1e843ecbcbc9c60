import type { Timeline, TimelineBlock } from '../../live/timeline.ts'

/** Flashblock by transaction of a block, as far as the timeline still has them; none where blocks come whole. */
export function seenSlots(timeline: Timeline, number: number, hash: string | undefined): ReadonlyMap<string, number> {
  const { open, sealed } = timeline
  if (!hasFlashblocks(timeline)) return new Map()
  const isOpen = open?.number === number
  const block = isOpen ? open : sealed.find((one) => one.number === number && one.hash === hash)
  return new Map(block === undefined ? [] : slotEntries(block))
}

/** The flashblock that announced a transaction, if the timeline still has it. */
export function seenSlotOf(timeline: Timeline, number: number, transaction: string): number | undefined {
  if (!hasFlashblocks(timeline)) return undefined
  const block = [timeline.open, ...timeline.sealed].find((one) => one?.number === number)
  return block?.slots.find(({ transactions }) => transactions.some(({ hash }) => hash === transaction))?.index
}

/** Transactions of each flashblock, in the order of the flashblocks. */
export function slotCounts(
  slotOf: ReadonlyMap<string, number>,
): readonly { readonly index: number; readonly transactionCount: number }[] {
  const counts = new Map<number, number>()
  for (const index of slotOf.values()) counts.set(index, (counts.get(index) ?? 0) + 1)
  return [...counts].sort(([a], [b]) => a - b).map(([index, transactionCount]) => ({ index, transactionCount }))
}

function hasFlashblocks({ slotsPerBlock }: Timeline): boolean {
  return slotsPerBlock > 1
}

function slotEntries({ slots }: TimelineBlock): readonly (readonly [string, number])[] {
  return slots.flatMap(({ index, transactions }) => transactions.map(({ hash }) => [hash, index] as const))
}
