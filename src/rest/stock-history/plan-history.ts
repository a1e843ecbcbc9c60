import type { ChainPosition, HistoryStep } from '../http/range-parameters.ts'
import type { Ancestors, SourceBlock } from '../tokenized-stocks/chain-source.ts'
import { blockRangeOf } from './block-times.ts'
import { type HistoryPlan, tooOld } from './value-history.ts'

interface Request {
  readonly from: ChainPosition | undefined
  readonly to: ChainPosition | undefined
  readonly step: HistoryStep
  readonly newest: SourceBlock
}

/**
 * The points that a request asks for.
 *
 * @throws StatusError `invalidArgument` for a reversed range; `notFound` when it begins before the kept states
 */
export async function planHistory({ from, to, step, newest }: Request, ancestors: Ancestors): Promise<HistoryPlan> {
  const { oldestState: oldest } = ancestors
  const range = await blockRangeOf({ from, to, oldest, newest }, ancestors)
  if (range.first < oldest) throw tooOld(ancestors)
  if (step.unit === 'block' && from?.kind !== 'time') return { range, step, startTime: 0n, endTime: 0n }
  const { timestamp: oldestTime } = await ancestors.at(oldest)
  // Before block 0 there is nothing to miss.
  if (from?.kind === 'time' && from.seconds < oldestTime && oldest > 0) throw tooOld(ancestors)
  if (step.unit === 'block') return { range, step, startTime: 0n, endTime: 0n }
  const wanted = from?.kind === 'time' ? from.seconds : (await ancestors.at(range.first)).timestamp
  const last = to?.kind === 'time' ? to.seconds : (await ancestors.at(Math.max(0, range.last))).timestamp
  const endTime = last < newest.timestamp ? last : newest.timestamp
  const startTime = alignedFrom(wanted, BigInt(step.count), oldestTime)
  // The newest block at or before the first time may be before the first block of the range.
  return { range: { ...range, first: oldest }, step, startTime, endTime }
}

/** The first of the times `start + n * step` that is not before `earliest`. */
function alignedFrom(start: bigint, step: bigint, earliest: bigint): bigint {
  if (start >= earliest) return start
  return start + ((earliest - start + step - 1n) / step) * step
}
