import type { MayContinue } from '../../engine/types.ts'
import { blockAppearances } from '../../node/address-index/block-appearances.ts'
import type { BlockView } from '../../node/core/view.ts'
import type { Address } from '../../primitives/hex.ts'
import type { AppearanceRange, ReadContext } from '../context.ts'
import { RPC_CODES, RpcError } from '../errors.ts'
import { parityTracer } from './parity-tracing.ts'
import { replayOf, tracing } from './tracing.ts'

/** A transaction that an address appears in. */
export interface Appearance {
  readonly block: BlockView
  readonly index: number
}

export interface AppearancePage {
  /** Newest first. Blocks are never divided: a page may have more than `size`. */
  readonly transactions: readonly Appearance[]
  /** The search reached the end of the chain in its direction. */
  readonly isLast: boolean
}

export interface AppearanceSearch {
  readonly address: Address
  /** The first block that is searched. */
  readonly start: number
  readonly direction: 'older' | 'newer'
  readonly size: number
}

/**
 * A page of the sealed transactions that an address sent or received, or whose calls and creations name it. Indexed
 * blocks are found through the index (`--address-index`); every other block on the way is replayed, within the time of
 * a trace.
 *
 * @throws RpcError when the time is up
 */
export function findAppearances(context: ReadContext, search: AppearanceSearch): Promise<AppearancePage> {
  const { direction, size } = search
  return tracing(context, { tracer: parityTracer({ trace: true }) }, async ({ mayContinue }) => {
    const transactions: Appearance[] = []
    const end = direction === 'older' ? 0 : context.view.head.sealed.latest
    let isLast = true
    for await (const { block, indexes } of foundBlocks(context, search, mayContinue)) {
      // Within a block in the direction of the search, so that the whole list can be reversed.
      const ordered = direction === 'older' ? [...indexes].reverse() : indexes
      for (const index of ordered) transactions.push({ block, index })
      isLast = transactions.length < size || block.block.header.number === end
      if (transactions.length >= size) break
    }
    return { transactions: direction === 'older' ? transactions : transactions.reverse(), isLast }
  })
}

interface FoundBlock {
  readonly block: BlockView
  /** Ascending. */
  readonly indexes: readonly number[]
}

/** Blocks in which the address appears, in the direction of the search. */
async function* foundBlocks(
  context: ReadContext,
  { address, start, direction }: AppearanceSearch,
  mayContinue: MayContinue | undefined,
): AsyncGenerator<FoundBlock> {
  const { latest } = context.view.head.sealed
  const indexed = newestIndexed(context)
  const scan = async function* (from: number, to: number, step: 1 | -1): AsyncGenerator<FoundBlock> {
    for (let number = from; step > 0 ? number <= to : number >= to; number += step) {
      if (mayContinue !== undefined && !(await mayContinue())) throw searchTooLong(number)
      const found = await replayedBlock(context, address, number, mayContinue)
      if (found !== undefined) yield found
    }
  }
  if (direction === 'older') {
    yield* scan(Math.min(start, latest), indexed + 1, -1)
    yield* indexedBlocks(context, { address, start: Math.min(start, indexed), direction }, indexed)
  } else {
    yield* indexedBlocks(context, { address, start, direction }, indexed)
    yield* scan(Math.max(start, indexed + 1), latest, 1)
  }
}

/** The newest block of the view that the index has as it is; -1: none. */
function newestIndexed({ view, addressIndex }: ReadContext): number {
  if (addressIndex === undefined) return -1
  let newest = Math.min(addressIndex.newest, view.head.sealed.latest)
  while (newest >= 0 && addressIndex.hashOf(newest) !== view.blockHash({ kind: 'number', number: newest })) newest -= 1
  return newest
}

function* indexedBlocks({ view, addressIndex }: ReadContext, range: AppearanceRange, newest: number) {
  if (addressIndex === undefined || range.start < 0) return
  for (const { number, hash, indexes } of addressIndex.find(range)) {
    if (number > newest) return
    const reference = { kind: 'number', number } as const
    // An entry of a block that was replaced, whose successor does not name the address.
    if (view.blockHash(reference) !== hash) continue
    yield { block: view.block(reference)!, indexes }
  }
}

async function replayedBlock(
  context: ReadContext,
  address: Address,
  number: number,
  mayContinue: MayContinue | undefined,
): Promise<FoundBlock | undefined> {
  const block = context.view.block({ kind: 'number', number })
  if (block === undefined || block.block.transactions.length === 0) return undefined
  const { maxTraceBytes } = context.options
  const limits = { maxTraceBytes, ...(mayContinue && { mayContinue }) }
  const indexes = (await blockAppearances(context.engine, replayOf(context, block.block), limits)).get(address)
  return indexes && { block, indexes }
}

function searchTooLong(number: number): RpcError {
  return new RpcError(
    RPC_CODES.server,
    `execution timeout: the search reached block ${number}; with --address-index blocks need not be replayed`,
  )
}
