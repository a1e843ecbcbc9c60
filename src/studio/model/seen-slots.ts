import type { Timeline, TimelineBlock } from '../../live/timeline.ts'

/**
 * Flashblock by transaction of a block, as far as the timeline knows them; none where blocks come whole.
 *
 * @param hashes of the transactions of the block, in order
 */
export function seenSlots(
  timeline: Timeline,
  {
    number,
    hash,
    hashes,
  }: { readonly number: number; readonly hash: string | undefined; readonly hashes: readonly string[] },
): ReadonlyMap<string, number> {
  const block = seenBlock(timeline, { number, hash })
  if (block === undefined) return new Map()
  if (!isWhole(block)) return new Map(slotEntries(block))
  const ends = slotEnds(block)
  return new Map(hashes.flatMap((one, position) => entryAt(ends, one, position)))
}

/**
 * The flashblock that announced a transaction, if the timeline still knows it.
 *
 * @param index of the transaction in its block
 */
export function seenSlotOf(
  timeline: Timeline,
  { number, hash, index }: { readonly number: number; readonly hash: string; readonly index: number | undefined },
): number | undefined {
  if (!hasFlashblocks(timeline)) return undefined
  const block = [timeline.open, ...timeline.sealed].find((one) => one?.number === number)
  if (block === undefined) return undefined
  if (isWhole(block) && index !== undefined) return slotAt(slotEnds(block), index)
  return block.slots.find(({ transactions }) => transactions.some((one) => one.hash === hash))?.index
}

/** A block that came in flashblocks. The hash of the open one changes with each of them. */
export function seenBlock(
  timeline: Timeline,
  { number, hash }: { readonly number: number; readonly hash: string | undefined },
): TimelineBlock | undefined {
  const { open, sealed } = timeline
  if (!hasFlashblocks(timeline)) return undefined
  return open?.number === number ? open : sealed.find((one) => one.number === number && one.hash === hash)
}

/** When the flashblock of a transaction arrived at this page, and when its block was sealed. */
export function seenTimes(
  { open, sealed }: Timeline,
  {
    blockNumber,
    flashblockIndex,
  }: { readonly blockNumber?: number | undefined; readonly flashblockIndex?: number | undefined },
): { readonly flashblockAt: number | undefined; readonly sealedAt: number | undefined } {
  const block = [open, ...sealed].find((one) => one?.number === blockNumber)
  const slot = block?.slots.find(({ index }) => index === flashblockIndex)
  return { flashblockAt: slot?.arrivedAt, sealedAt: block?.sealedAt }
}

/**
 * Transactions of each flashblock, in the order of the flashblocks; those without any as far as the page saw them.
 *
 * @param seen the block as it arrived
 */
export function slotCounts(
  slotOf: ReadonlyMap<string, number>,
  seen: TimelineBlock | undefined,
): readonly { readonly index: number; readonly transactionCount: number }[] {
  const counts = new Map(seen?.slots.map(({ index }) => [index, 0]))
  for (const index of slotOf.values()) counts.set(index, (counts.get(index) ?? 0) + 1)
  return [...counts].sort(([a], [b]) => a - b).map(([index, transactionCount]) => ({ index, transactionCount }))
}

function hasFlashblocks({ slotsPerBlock }: Timeline): boolean {
  return slotsPerBlock > 1
}

/** Whether every flashblock so far is known, so that their numbers of transactions name the place of each. */
function isWhole({ slots }: TimelineBlock): boolean {
  return slots.every(({ index }, position) => index === position)
}

/** Number of transactions of the block after each flashblock. */
function slotEnds({ slots }: TimelineBlock): readonly number[] {
  let end = 0
  return slots.map(({ transactionCount }) => {
    end += transactionCount
    return end
  })
}

function slotAt(ends: readonly number[], position: number): number | undefined {
  const slot = ends.findIndex((end) => position < end)
  return slot === -1 ? undefined : slot
}

function entryAt(ends: readonly number[], hash: string, position: number): readonly (readonly [string, number])[] {
  const slot = slotAt(ends, position)
  return slot === undefined ? [] : [[hash, slot]]
}

function slotEntries({ slots }: TimelineBlock): readonly (readonly [string, number])[] {
  return slots.flatMap(({ index, transactions }) => transactions.map(({ hash }) => [hash, index] as const))
}
