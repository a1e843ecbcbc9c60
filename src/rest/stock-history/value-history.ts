import { formatDecimal, nearestDouble } from '../../primitives/decimal.ts'
import type { Address } from '../../primitives/hex.ts'
import { MULTIPLIER_DECIMALS } from '../../primitives/stocks/split-ratio.ts'
import type { HistoryStep } from '../http/range-parameters.ts'
import { StatusError } from '../http/status.ts'
import { type Ancestors, type BlockReads, readAt, type SourceBlock } from '../tokenized-stocks/chain-source.ts'
import type { RefusedRead } from '../tokenized-stocks/function-reads.ts'
import { feedOf, type ListedToken } from '../tokenized-stocks/listing.ts'
import { LAST_SECOND, readMultiplier, readPrice, readSupply } from '../tokenized-stocks/token-reads.ts'
import { rfc3339 } from '../tokenized-stocks/token-record.ts'
import { type HistoryBlocks, newestBlockAt } from './block-times.ts'

export const HISTORY_FIELDS = ['supply', 'multiplier', 'price'] as const
export type HistoryField = (typeof HISTORY_FIELDS)[number]

/** The points of a history: every so many blocks, or every so many seconds. */
export interface HistoryPlan {
  readonly range: HistoryBlocks
  readonly step: HistoryStep
  /** Unix seconds of point 0, with a step in seconds. */
  readonly startTime: bigint
  /** Unix seconds that no point is after, with a step in seconds. */
  readonly endTime: bigint
}

/** A value at a block; `undefined`: there is none. */
type HistoryValue = { readonly amount: bigint; readonly decimals: number; readonly updatedAt?: bigint } | undefined

/** A point in a response. */
interface HistoryPoint {
  readonly block_number: number
  readonly timestamp: string | null
  readonly value: number | null
  readonly value_exact: string | null
  readonly nav_price_updated_at?: string | null
  readonly problem?: string
}

interface Options {
  readonly token: ListedToken
  readonly field: HistoryField
  readonly plan: HistoryPlan
  /** Number of the first point of the page. */
  readonly start: number
  readonly pageSize: number
}

/**
 * Points of a token's history, each read from the state after its block, which the state history has for any block at
 * the same cost (ADR 0008). The page ends early when its reads have used the time of a call.
 *
 * @returns the points, and the number of the point after them; `undefined` if they are the last
 * @throws StatusError `notFound` when the state of a block is not kept; as the reads
 */
export async function readValueHistory(
  { token, field, plan, start, pageSize }: Options,
  ancestors: Ancestors,
): Promise<{ readonly points: readonly HistoryPoint[]; readonly next: number | undefined }> {
  const { range, step, startTime } = plan
  const points: HistoryPoint[] = []
  const end = await ancestors.at(Math.max(0, range.last))
  let before: SourceBlock | undefined
  for (let number = start; number < pointCount(plan); number++) {
    if (points.length === pageSize || (points.length > 0 && ancestors.isTimeOver)) return { points, next: number }
    if (step.unit === 'block') before = await ancestors.at(range.first + number * step.count)
    else {
      before ??= await ancestors.at(range.first)
      const seconds = startTime + BigInt(number) * BigInt(step.count)
      before = await newestBlockAt(seconds, { start: before, end }, ancestors)
    }
    if (before.number < ancestors.oldestState) throw tooOld(ancestors)
    points.push(await readPoint(before, token, field))
  }
  return { points, next: undefined }
}

function pointCount({ range, step, startTime, endTime }: HistoryPlan): number {
  if (step.unit === 'block') return Math.floor((range.last - range.first) / step.count) + 1
  return startTime > endTime ? 0 : Number((endTime - startTime) / BigInt(step.count)) + 1
}

/** The response for blocks whose state is pruned. */
export function tooOld({ oldestState }: Pick<Ancestors, 'oldestState'>): StatusError {
  const message = `the history begins with block ${oldestState}, the first one whose state this node keeps (--history): name it, or a later one, as \`from\``
  return new StatusError('notFound', message)
}

async function readPoint(block: SourceBlock, token: ListedToken, field: HistoryField): Promise<HistoryPoint> {
  const value = await readAt(block, (reads) => readValue(reads, token, field))
  const isRefused = value !== undefined && 'kind' in value
  const read = isRefused ? undefined : value
  return {
    block_number: block.number,
    timestamp: timeOf(block.timestamp),
    value: read === undefined ? null : nearestDouble(read.amount, read.decimals),
    value_exact: read === undefined ? null : formatDecimal(read.amount, read.decimals),
    ...(field === 'price' && { nav_price_updated_at: read?.updatedAt === undefined ? null : timeOf(read.updatedAt) }),
    ...(isRefused && { problem: `${value.call}: ${value.message}` }),
  }
}

async function readValue(
  reads: BlockReads,
  { address, registered }: ListedToken,
  field: HistoryField,
): Promise<HistoryValue | RefusedRead> {
  if (field === 'price') return priceAt(reads, feedOf(address, registered))
  const supply = await readSupply(reads, address)
  if (supply.kind === 'refused') return supply
  if (supply.kind === 'noToken') return undefined
  if (field === 'supply') return { amount: supply.totalSupply, decimals: supply.decimals }
  const decimals = MULTIPLIER_DECIMALS
  if (registered?.supplyIncludesMultiplier === true) return { amount: 10n ** BigInt(decimals), decimals }
  const multiplier = await readMultiplier(reads, address)
  return typeof multiplier === 'bigint' ? { amount: multiplier, decimals } : multiplier
}

async function priceAt(reads: BlockReads, feed: Address | undefined): Promise<HistoryValue | RefusedRead> {
  const price = feed === undefined ? undefined : await readPrice(reads, feed)
  if (price === undefined || 'kind' in price) return price
  const { answer, decimals, updatedAt } = price
  return { amount: answer, decimals, updatedAt }
}

/** `null` beyond the last second that RFC 3339 can name. */
function timeOf(seconds: bigint): string | null {
  return seconds > LAST_SECOND ? null : rfc3339(seconds)
}
