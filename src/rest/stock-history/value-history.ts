import { formatDecimal, nearestDouble } from '../../primitives/decimal.ts'
import type { Address } from '../../primitives/hex.ts'
import { MULTIPLIER_DECIMALS } from '../../primitives/stocks/split-ratio.ts'
import type { HistoryStep } from '../http/range-parameters.ts'
import { type Ancestors, type BlockReads, readAt, type SourceBlock } from '../tokenized-stocks/chain-source.ts'
import type { RefusedRead } from '../tokenized-stocks/function-reads.ts'
import { feedOf, type ListedToken } from '../tokenized-stocks/listing.ts'
import { readMultiplier, readPrice, readSupply } from '../tokenized-stocks/token-reads.ts'
import { rfc3339OrNull } from '../tokenized-stocks/token-record.ts'
import { type HistoryBlocks, newestBlockAt } from './block-times.ts'

export const HISTORY_FIELDS = ['supply', 'multiplier', 'price'] as const
export type HistoryField = (typeof HISTORY_FIELDS)[number]

/** The points of a history. Their places are numbers of blocks, or Unix seconds, as the step. */
export interface HistoryPlan {
  /** The blocks among which those of times are. */
  readonly range: HistoryBlocks
  readonly step: HistoryStep
  /** Place of the first point. */
  readonly start: bigint
  /** Place that no point is after. */
  readonly end: bigint
}

/** A value at a block; `undefined`: there is none. */
type HistoryValue = { readonly amount: bigint; readonly decimals: number; readonly updatedAt?: bigint } | undefined

/** A point in a response. */
interface HistoryPoint {
  /** Time of a sample, at or after that of its block; absent for a step in blocks. */
  readonly sampled_at?: string | null
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
  readonly pageSize: number
}

/**
 * Points of a token's history, each read from the state after its block, which the state history has for any block at
 * the same cost (ADR 0008). The page ends early when its reads have used the time of a call.
 *
 * @returns the points, and the place of the point after them; `undefined` if they are the last
 * @throws StatusError as the reads
 */
export async function readValueHistory(
  { token, field, plan, pageSize }: Options,
  ancestors: Ancestors,
): Promise<{ readonly points: readonly HistoryPoint[]; readonly next: bigint | undefined }> {
  const { range, step, start, end } = plan
  const points: HistoryPoint[] = []
  let before: SourceBlock | undefined
  let last: SourceBlock | undefined
  for (let place = start; place <= end; place += BigInt(step.count)) {
    if (points.length === pageSize || (points.length > 0 && ancestors.isTimeOver)) return { points, next: place }
    if (step.unit === 'block') before = await ancestors.at(Number(place))
    else {
      before ??= await ancestors.at(range.first)
      last ??= await ancestors.at(range.last)
      before = await newestBlockAt(place, { start: before, end: last }, ancestors)
    }
    const point = await readPoint(before, token, field)
    points.push(step.unit === 'block' ? point : { sampled_at: rfc3339OrNull(place), ...point })
  }
  return { points, next: undefined }
}

async function readPoint(block: SourceBlock, token: ListedToken, field: HistoryField): Promise<HistoryPoint> {
  const value = await readAt(block, (reads) => readValue(reads, token, field))
  const isRefused = value !== undefined && 'kind' in value
  const read = isRefused ? undefined : value
  return {
    block_number: block.number,
    timestamp: rfc3339OrNull(block.timestamp),
    value: read === undefined ? null : nearestDouble(read.amount, read.decimals),
    value_exact: read === undefined ? null : formatDecimal(read.amount, read.decimals),
    ...(field === 'price' && {
      nav_price_updated_at: read?.updatedAt === undefined ? null : rfc3339OrNull(read.updatedAt),
    }),
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
