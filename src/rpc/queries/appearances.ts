import type { MayContinue } from '../../engine/types.ts'
import { blockAppearances } from '../../node/address-index/block-appearances.ts'
import type { BlockView } from '../../node/view/view.ts'
import type { Address } from '../../primitives/hex.ts'
import type { AppearanceRange } from '../context/dependencies.ts'
import type { ReadContext } from '../context/reading.ts'
import { RPC_CODES, RpcError } from '../protocol/errors.ts'
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

/** Transactions of a page. Otterscan asks for 25. */
export const MAX_PAGE_SIZE = 1_000

/**
 * A page of the sealed transactions that an address sent or received, or whose calls and creations name it. Indexed
 * blocks are found through the index (`--address-index`); every other block on the way is replayed. Both stay within
 * the time of a trace.
 *
 * @throws RpcError when the page is too large, the time is up, or the state of a block to replay is pruned
 */
export function findAppearances(context: ReadContext, search: AppearanceSearch): Promise<AppearancePage> {
  const { direction, size } = search
  if (size > MAX_PAGE_SIZE) {
    throw new RpcError(RPC_CODES.invalidParams, `a page of ${size} transactions, want at most ${MAX_PAGE_SIZE}`)
  }
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
  search: AppearanceSearch,
  mayContinue: MayContinue | undefined,
): AsyncGenerator<FoundBlock> {
  const { start, direction } = search
  const { latest } = context.view.head.sealed
  const { oldest, newest } = indexedRange(context)
  const isIndexed = (number: number) => number >= oldest && number <= newest
  const step = direction === 'older' ? -1 : 1
  for (let number = direction === 'older' ? Math.min(start, latest) : start; number >= 0 && number <= latest; ) {
    if (isIndexed(number)) {
      yield* indexedBlocks(context, { ...search, start: number }, { oldest, newest, mayContinue })
      number = (direction === 'older' ? oldest : newest) + step
    } else {
      await assertTime(number, mayContinue)
      const found = await replayedBlock(context, search.address, number, mayContinue)
      if (found !== undefined) yield found
      number += step
    }
  }
}

/** @throws RpcError when the time is up */
async function assertTime(number: number, mayContinue: MayContinue | undefined): Promise<void> {
  if (mayContinue === undefined || (await mayContinue())) return
  throw new RpcError(
    RPC_CODES.server,
    `execution timeout: the search reached block ${number}; with --address-index blocks need not be replayed`,
  )
}

interface IndexedRange {
  readonly oldest: number
  readonly newest: number
}

const NOTHING_INDEXED: IndexedRange = { oldest: 0, newest: -1 }

/** The newest blocks of the view that the index has without a gap and as they are. */
function indexedRange({ view, addressIndex }: ReadContext): IndexedRange {
  if (addressIndex === undefined) return NOTHING_INDEXED
  let newest = Math.min(addressIndex.newest, view.head.sealed.latest)
  while (newest >= 0 && addressIndex.hashOf(newest) !== view.blockHash({ kind: 'number', number: newest })) newest -= 1
  const oldest = addressIndex.oldestBelow(newest)
  return oldest === undefined ? NOTHING_INDEXED : { oldest, newest }
}

async function* indexedBlocks(
  { view, addressIndex }: ReadContext,
  range: AppearanceRange,
  { oldest, newest, mayContinue }: IndexedRange & { readonly mayContinue: MayContinue | undefined },
): AsyncGenerator<FoundBlock> {
  for (const { number, hash, indexes } of addressIndex?.find(range) ?? []) {
    if (number < oldest || number > newest) return
    await assertTime(number, mayContinue)
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
