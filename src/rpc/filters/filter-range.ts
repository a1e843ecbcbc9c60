import type { LogQuery } from '../../chain/receipt/log-query.ts'
import type { BlockTag } from '../../node/core/block-reference.ts'
import type { View } from '../../node/core/view.ts'
import type { Hash } from '../../primitives/hex.ts'
import { type LogFilter, queryInDialect } from '../codecs/log-filter.ts'
import type { Dialect } from '../dialect.ts'
import { reversedRange } from '../logs/log-lookup.ts'
import { DEFAULT_HEIGHT, type Height } from '../logs/log-range.ts'

/** Where a log filter looks. */
export type FilterRange =
  /** From a block of the chain on, up to what a tag names when the filter is asked, or to a height. */
  | { readonly kind: 'range'; readonly from: Height; readonly to: Height }
  /** One block: it never changes. */
  | { readonly kind: 'block'; readonly hash: Hash }

export interface WatchedLogs {
  readonly query: LogQuery
  readonly range: FilterRange
}

/** Each names no block below what the one before it names. */
const RANKS: Readonly<Record<BlockTag, number>> = { earliest: 0, finalized: 1, safe: 2, latest: 3, pending: 4 }

/**
 * What a filter object means for `eth_newFilter`. Who begins at `pending` and names no end wants what is pre-confirmed.
 *
 * @throws RpcError -32602 for a range that can never have a block
 */
export function watchedLogs(filter: LogFilter, dialect: Dialect): WatchedLogs {
  const { addresses, topics, blockHash, fromBlock = DEFAULT_HEIGHT } = filter
  const query = queryInDialect({ addresses, topics }, dialect)
  if (blockHash !== undefined) return { query, range: { kind: 'block', hash: blockHash } }
  const to = filter.toBlock ?? (isPending(fromBlock) ? fromBlock : DEFAULT_HEIGHT)
  if (isReversed(fromBlock, to)) throw reversedRange(fromBlock, to)
  return { query, range: { kind: 'range', from: fromBlock, to } }
}

/** The lowest block whose logs are told: a height that was given, else whatever comes. */
export function lowestBlock({ from }: Extract<FilterRange, { kind: 'range' }>): number {
  return from.kind === 'number' ? from.number : 0
}

/** The highest block whose logs can be told in a view. */
export function highestBlock({ to }: Extract<FilterRange, { kind: 'range' }>, view: View): number {
  return to.kind === 'number' ? Math.min(to.number, view.head.sealed.latest) : view.number(to)!
}

export function isPending(height: Height): boolean {
  return height.kind === 'tag' && height.tag === 'pending'
}

function isReversed(from: Height, to: Height): boolean {
  const first = numberOf(from)
  const last = numberOf(to)
  if (first !== undefined) return last !== undefined && first > last
  if (from.kind !== 'tag' || to.kind !== 'tag') return isPending(from)
  return RANKS[from.tag] > RANKS[to.tag]
}

function numberOf(height: Height): number | undefined {
  if (height.kind === 'number') return height.number
  return height.tag === 'earliest' ? 0 : undefined
}
