import type { ChainPosition } from '../http/range-parameters.ts'
import { badQuery, type StatusError } from '../http/status.ts'
import type { Ancestors, SourceBlock } from '../tokenized-stocks/chain-source.ts'

type Blocks = Pick<Ancestors, 'at'>

/**
 * The newest block at or before a time, in a range of blocks whose first one is. The search doubles its steps from the
 * start of the range, so that consecutive times cost the logarithm of their distance.
 *
 * @param start the first block of the range
 * @param end the last one
 */
export async function newestBlockAt(
  seconds: bigint,
  { start, end }: { readonly start: SourceBlock; readonly end: SourceBlock },
  blocks: Blocks,
): Promise<SourceBlock> {
  if (end.timestamp <= seconds) return end
  let low = start
  let high = end.number
  for (let step = 1; low.number + step < high; step *= 2) {
    const block = await blocks.at(low.number + step)
    if (block.timestamp > seconds) high = block.number
    else low = block
  }
  while (high - low.number > 1) {
    const block = await blocks.at(low.number + Math.floor((high - low.number) / 2))
    if (block.timestamp > seconds) high = block.number
    else low = block
  }
  return low
}

/** Blocks that a request names. */
export interface HistoryBlocks {
  readonly first: number
  /** Inclusive; below `first`: none. */
  readonly last: number
}

interface RangeBounds {
  readonly from: ChainPosition | undefined
  readonly to: ChainPosition | undefined
  /** The oldest block that can be read. */
  readonly oldest: number
  /** The block of the response. */
  readonly newest: SourceBlock
  /** The error for a time before the oldest block, which names the parameter. */
  readonly tooOld: (name: 'from' | 'to') => StatusError
}

/**
 * The blocks of a range that is given in blocks or times.
 *
 * @param blocks absent where blocks are known by number only
 * @throws StatusError `invalidArgument` for a reversed range, and for a time without `blocks`; `tooOld`
 */
export async function blockRangeOf(
  { from, to, oldest, newest, tooOld }: RangeBounds,
  blocks: Blocks | undefined,
): Promise<HistoryBlocks> {
  if (from?.kind === 'time' && to?.kind === 'time' && from.seconds > to.seconds) throw reversed()
  const isTimed = from?.kind === 'time' || to?.kind === 'time'
  if (isTimed && blocks === undefined) {
    const name = from?.kind === 'time' ? 'from' : 'to'
    throw badQuery(name, 'this service reads another node, which finds no block by its time: name a number')
  }
  // Positions that are times are read with `blocks` only, which the check above has found.
  const start = isTimed ? await blocks!.at(oldest) : newest
  // Before block 0 there is nothing to miss.
  const isTooOld = (position: ChainPosition | undefined) =>
    oldest > 0 && position?.kind === 'time' && position.seconds < start.timestamp
  if (isTooOld(to)) throw tooOld('to')
  if (isTooOld(from)) throw tooOld('from')
  const newestAt = async (seconds: bigint) =>
    start.timestamp > seconds ? oldest - 1 : (await newestBlockAt(seconds, { start, end: newest }, blocks!)).number
  const last = to?.kind === 'time' ? await newestAt(to.seconds) : Math.min(to?.number ?? newest.number, newest.number)
  // The first block at or after a time follows the newest one before it.
  const first =
    from?.kind === 'time'
      ? (await newestAt(from.seconds - 1n)) + 1
      : (from?.number ?? Math.max(0, Math.min(oldest, last)))
  // No block is between two times, or after a time.
  if (first > last + 1 || (first > last && from?.kind === 'block')) throw reversed()
  return { first, last }
}

function reversed(): Error {
  return badQuery('from', 'is after `to`, or after the block of the response: name an earlier block or time')
}
