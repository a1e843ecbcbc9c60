import type { ChainPosition, HistoryStep } from '../http/range-parameters.ts'
import { StatusError } from '../http/status.ts'
import type { Ancestors, SourceBlock } from '../tokenized-stocks/chain-source.ts'
import { blockRangeOf } from './block-times.ts'
import type { HistoryPlan } from './value-history.ts'

interface Request {
  readonly from: ChainPosition | undefined
  readonly to: ChainPosition | undefined
  readonly step: HistoryStep
  readonly newest: SourceBlock
  /** The first place of the page, as in `HistoryPlan`. Default: that of the first point. */
  readonly start: bigint | undefined
}

/**
 * The points of a page and of those behind it.
 *
 * @throws StatusError `invalidArgument` for a reversed range; `notFound` when it begins before the kept states
 */
export async function planHistory({ start, ...request }: Request, ancestors: Ancestors): Promise<HistoryPlan> {
  const { to, step, newest } = request
  const { oldestState: oldest } = ancestors
  // The kept states may begin later than those of the page before: the place of a page never depends on them.
  const from = start === undefined ? request.from : positionOf(start, step)
  const bounds = { from, to, oldest, newest, tooOld: (name: 'from' | 'to') => historyTooOld(ancestors, name) }
  const range = await blockRangeOf(bounds, ancestors)
  if (range.first < oldest) throw historyTooOld(ancestors, range.last < oldest ? 'to' : 'from')
  if (step.unit === 'block') return { range, step, start: BigInt(range.first), end: BigInt(range.last) }
  const { timestamp: oldestTime } = await ancestors.at(oldest)
  const wanted = from?.kind === 'time' ? from.seconds : (await ancestors.at(range.first)).timestamp
  const last = to?.kind === 'time' ? to.seconds : (await ancestors.at(Math.max(0, range.last))).timestamp
  const end = earlier(last, newest.timestamp)
  const stepSeconds = BigInt(step.count)
  const earliest = firstTimeFrom(oldestTime, wanted, stepSeconds)
  // The genesis of a development chain may be years older than block 1: samples between them would all be alike.
  const hasGenesisGap = oldest === 0 && newest.number > 0
  const first = hasGenesisGap
    ? lastTimeUntil(earlier((await ancestors.at(1)).timestamp, end), earliest, stepSeconds)
    : earliest
  // The newest block at or before the first time may be before the first block of the range.
  return { range: { ...range, first: oldest }, step, start: first, end }
}

function earlier(left: bigint, right: bigint): bigint {
  return left < right ? left : right
}

function positionOf(place: bigint, { unit }: HistoryStep): ChainPosition {
  return unit === 'block' ? { kind: 'block', number: Number(place) } : { kind: 'time', seconds: place }
}

function historyTooOld({ oldestState, forkBlock }: Ancestors, name: 'from' | 'to'): StatusError {
  const use = `use that block or a later one as \`${name}\``
  const message =
    oldestState === forkBlock
      ? `the history begins with the fork block ${oldestState}: ${use}, or ask the forked node for earlier points`
      : `the history begins with block ${oldestState}, the first one whose state this node keeps (--history): ${use}`
  return new StatusError('notFound', message)
}

/** The first of the times `start + n * step` that is not before `earliest`. */
function firstTimeFrom(earliest: bigint, start: bigint, step: bigint): bigint {
  if (start >= earliest) return start
  return start + ((earliest - start + step - 1n) / step) * step
}

/** The last of the times `start + n * step` that is not after `latest`; `start`, if all are. */
function lastTimeUntil(latest: bigint, start: bigint, step: bigint): bigint {
  if (start >= latest) return start
  return start + ((latest - start) / step) * step
}
