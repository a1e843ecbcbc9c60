import type { Block } from '../chain/block.ts'
import { blockSize } from '../chain/block-codec.ts'
import { hashHeader } from '../chain/header-codec.ts'
import type { PoolTransaction } from '../chain/transaction.ts'
import type { Hash } from '../primitives/hex.ts'
import { createLayer } from '../state/layer.ts'
import type { ChainRecord, FlashblockRecord } from '../state/record.ts'
import type { StateTrie } from '../state/trie/state-trie.ts'
import type { BuiltBlock, PartialBlock } from './head.ts'
import { PARTIAL_BLOCKS_KEPT, partialOf } from './head-transitions.ts'
import type { SealedRange } from './retention.ts'

export interface NumberedRecord {
  readonly sequence: number
  readonly record: ChainRecord
}

/** Where the records continue: what the store holds already. */
export interface RecoveryBase {
  readonly number: number
  readonly hash: Hash
  readonly trie: StateTrie
}

/** What the records say of everything above the store. */
export interface Recovered {
  /** Sealed blocks that the store lacks, oldest first. */
  readonly recent: readonly BuiltBlock[]
  /** The block that was open. */
  readonly open: BuiltBlock | undefined
  /** Of the newest blocks, newest first; the first map is the open block's. */
  readonly partials: readonly ReadonlyMap<Hash, PartialBlock>[]
  /** Every transaction that entered the pool, in order, included ones too. */
  readonly pooled: readonly PoolTransaction[]
  readonly sealed: readonly SealedRange[]
  /** Of the newest record; 0 when there is none. */
  readonly sequence: number
}

/** Records that do not fit the store or each other. */
export class RecoveryError extends Error {
  readonly code = 'RECOVERY_FAILED'
  override readonly name = 'RecoveryError'
}

/** A block while its records are read; blocks that the store has keep their headers only. */
interface Building {
  readonly firstSequence: number
  readonly partials: Map<Hash, PartialBlock>
  readonly built: BuiltBlock
}

/**
 * Rebuilds what the store does not hold from the records, oldest first: sealed blocks above `base` and the open one,
 * without executing anything (design claim 3). Every header is hashed and every state root compared.
 *
 * @throws RecoveryError when a record contradicts the ones before it
 */
export function recover(base: RecoveryBase, records: Iterable<NumberedRecord>): Recovered {
  const blocks: Building[] = []
  const pooled: PoolTransaction[] = []
  let open: Building | undefined
  let sequence = 0
  for (const { sequence: number, record } of records) {
    sequence = number
    switch (record.kind) {
      case 'pool':
        pooled.push(...record.transactions)
        break
      case 'flashblock':
        open = withRecord(open, record, number, trieBelow(base, blocks))
        break
      case 'seal':
        if (open === undefined) break
        if (open.built.block.hash !== record.hash) {
          throw new RecoveryError(`record ${number} seals ${record.hash}, the open block is ${open.built.block.hash}`)
        }
        blocks.push(open)
        open = undefined
        break
      case 'unwind':
        open = undefined
        while (blocks.length > 0 && heightOf(blocks.at(-1)!) > record.number) blocks.pop()
    }
  }
  const recent = blocks.filter((block) => heightOf(block) > base.number).map(({ built }) => built)
  checkLinks(base, open === undefined ? recent : [...recent, open.built])
  return {
    recent,
    open: open !== undefined && heightOf(open) > base.number ? open.built : undefined,
    partials: [
      open?.partials ?? new Map(),
      ...blocks
        .slice(-PARTIAL_BLOCKS_KEPT)
        .reverse()
        .map(({ partials }) => partials),
    ],
    pooled,
    sealed: blocks.map((block) => ({ number: heightOf(block), firstSequence: block.firstSequence })),
    sequence,
  }

  /** `undefined` below the store's height: those blocks' tries are not needed. */
  function trieBelow(from: RecoveryBase, sealedBlocks: readonly Building[]): StateTrie | undefined {
    const newest = sealedBlocks.at(-1)
    return newest !== undefined && heightOf(newest) > from.number ? newest.built.trie : from.trie
  }

  function withRecord(
    before: Building | undefined,
    record: FlashblockRecord,
    number: number,
    parentTrie: StateTrie | undefined,
  ): Building | undefined {
    const isStored = record.header.number <= base.number
    if (record.index === 0) {
      return {
        firstSequence: number,
        partials: new Map(),
        built: builtBlock(undefined, record, isStored ? base.trie : parentTrie!.apply(record.diff), isStored),
      }
    }
    // The segment that held the beginning of a stored block may be gone.
    if (before === undefined && isStored) return undefined
    if (before === undefined || heightOf(before) !== record.header.number || lastIndex(before) + 1 !== record.index) {
      throw new RecoveryError(
        `record ${number} is flashblock ${record.index} of block ${record.header.number}: one before it is missing`,
      )
    }
    const partial = partialOf(before.built)
    return {
      firstSequence: before.firstSequence,
      partials: before.partials.set(partial.hash, partial),
      built: builtBlock(before.built, record, isStored ? base.trie : before.built.trie.apply(record.diff), isStored),
    }
  }
}

function builtBlock(
  before: BuiltBlock | undefined,
  record: FlashblockRecord,
  trie: StateTrie,
  isStored: boolean,
): BuiltBlock {
  const { header } = record
  if (!isStored && trie.root !== header.stateRoot) {
    throw new RecoveryError(
      `flashblock ${record.index} of block ${header.number} gives the state root ${trie.root}, its header has ${header.stateRoot}`,
    )
  }
  const hash = hashHeader(header)
  const firstTransaction = before?.block.transactions.length ?? 0
  const { index, transactions: added, receipts, diff } = record
  const layer = createLayer({ header, hash, index, firstTransaction, transactions: added, receipts, diff })
  const transactions = Object.freeze([...(before?.block.transactions ?? []), ...added])
  const content = { header, transactions, uncles: [], withdrawals: [] }
  const block: Block = Object.freeze({ ...content, hash, size: blockSize(content) })
  return {
    block,
    receipts: Object.freeze([...(before?.receipts ?? []), ...receipts]),
    layers: [...(before?.layers ?? []), layer],
    trie,
  }
}

function checkLinks(base: RecoveryBase, blocks: readonly BuiltBlock[]): void {
  let parent: { readonly number: number; readonly hash: Hash } = base
  for (const { block } of blocks) {
    const { header, hash } = block
    if (header.number <= base.number) continue
    if (header.number !== parent.number + 1 || header.parentHash !== parent.hash) {
      throw new RecoveryError(
        `the records go on with block ${header.number}, whose parent is not block ${parent.number} of the store`,
      )
    }
    parent = { number: header.number, hash }
  }
}

function heightOf({ built }: Building): number {
  return built.block.header.number
}

function lastIndex({ built }: Building): number {
  return built.layers.at(-1)!.index
}
