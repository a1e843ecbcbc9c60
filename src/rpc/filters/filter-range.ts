import type { LogQuery } from '../../chain/receipt/log-query.ts'
import type { BlockTag } from '../../node/view/block-reference.ts'
import type { View } from '../../node/view/view.ts'
import type { Hash } from '../../primitives/hex.ts'
import { type LogFilter, queryInDialect } from '../codecs/log-filter.ts'
import type { NodeConventions } from '../compat/node-conventions.ts'
import { DEFAULT_HEIGHT, type Height, reversedRange } from '../logs/log-range.ts'
import type { Dialect } from '../protocol/dialect.ts'

/** The blocks of a log filter. */
export type FilterRange =
  /** From a block on, up to a height, or the block of a tag at the time of the poll. */
  | { readonly kind: 'range'; readonly from: Height; readonly to: Height }
  /** One block, which never changes. */
  | { readonly kind: 'block'; readonly hash: Hash }

export interface WatchedLogs {
  readonly query: LogQuery
  readonly range: FilterRange
}

/** Order of the tags: none names a lower block than the one before it. */
const RANKS: Readonly<Record<BlockTag, number>> = { earliest: 0, finalized: 1, safe: 2, latest: 3, pending: 4 }

/**
 * Interprets a filter object for `eth_newFilter`. A filter that starts at `pending` without an end selects
 * pre-confirmed logs.
 *
 * @throws RpcError -32602 for a range that can never contain a block; Anvil and Hardhat accept it
 */
export function watchedLogs(
  filter: LogFilter,
  dialect: Dialect,
  { clampsRanges }: NodeConventions['logs'],
): WatchedLogs {
  const { addresses, topics, blockHash, fromBlock = DEFAULT_HEIGHT } = filter
  const query = queryInDialect({ addresses, topics }, dialect)
  if (blockHash !== undefined) return { query, range: { kind: 'block', hash: blockHash } }
  const to = filter.toBlock ?? (isPending(fromBlock) ? fromBlock : DEFAULT_HEIGHT)
  if (!clampsRanges && isReversed(fromBlock, to)) throw reversedRange(fromBlock, to)
  return { query, range: { kind: 'range', from: fromBlock, to } }
}

/** The lowest block whose logs are returned: a given height, or any. */
export function lowestBlock({ from }: Extract<FilterRange, { kind: 'range' }>): number {
  return from.kind === 'number' ? from.number : 0
}

/** The highest block whose logs are returned in a view. */
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
