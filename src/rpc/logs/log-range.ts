import type { BlockReference } from '../../node/view/block-reference.ts'
import type { View } from '../../node/view/view.ts'
import { blockHeight } from '../codecs/block-reference.ts'
import type { LogFilter } from '../codecs/log-filter.ts'
import type { NodeConventions } from '../compat/node-conventions.ts'
import { RPC_CODES, RpcError } from '../protocol/errors.ts'

/** A block that is named by its number or a tag. */
export type Height = Exclude<BlockReference, { kind: 'hash' }>

/** Stands for a missing `fromBlock` or `toBlock`. */
export const DEFAULT_HEIGHT: Height = { kind: 'tag', tag: 'latest' }

export type LogRange =
  | { readonly kind: 'range'; readonly from: number; readonly to: number }
  | { readonly kind: 'reversed' }
  /** `from`: its first block. */
  | { readonly kind: 'beyondHead'; readonly from: number }

/**
 * Resolves the range of a filter in one view. The open block has the height above `latest`, but only the tag `pending`
 * selects it: a number above `latest` is valid only as the start of a range that ends at `pending`. Anvil and Hardhat
 * end a range at the head instead.
 *
 * @example logRange({ fromBlock: { kind: 'number', number: 3 }, toBlock: PENDING }, view)
 */
export function logRange(
  filter: Pick<LogFilter, 'fromBlock' | 'toBlock'>,
  view: View,
  { clampsRanges }: NodeConventions['logs'],
): LogRange {
  const fromBlock = filter.fromBlock ?? DEFAULT_HEIGHT
  const toBlock = filter.toBlock ?? DEFAULT_HEIGHT
  const { latest } = view.head.sealed
  const from = view.number(fromBlock)!
  const named = view.number(toBlock)!
  const to = clampsRanges && toBlock.kind === 'number' ? Math.min(named, latest) : named
  const bothNumbers = fromBlock.kind === 'number' && toBlock.kind === 'number'
  if (!clampsRanges && bothNumbers && from > to) return { kind: 'reversed' }
  if (toBlock.kind === 'number' && to > latest) return { kind: 'beyondHead', from }
  if (fromBlock.kind === 'number' && from > Math.max(latest, to)) return { kind: 'beyondHead', from }
  return from > to ? { kind: 'reversed' } : { kind: 'range', from, to }
}

/** go-ethereum's message, followed by the members that contradict each other. */
export function reversedRange(fromBlock: Height, toBlock: Height): RpcError {
  const [from, to] = [blockHeight.encode(fromBlock), blockHeight.encode(toBlock)]
  return new RpcError(RPC_CODES.invalidParams, `invalid block range params: fromBlock ${from} is after toBlock ${to}`)
}
