import { createBlock } from '../../chain/block/block.ts'
import { blockSize } from '../../chain/block/block-codec.ts'
import { hashHeader } from '../../chain/block/header-codec.ts'
import type { DroppedTransaction } from '../../chain/transaction/drop-reason.ts'
import type { PoolTransaction } from '../../chain/transaction/transaction.ts'
import type { Hash } from '../../primitives/hex.ts'
import { createLayer, type Layer } from '../../state/layer.ts'
import type { ChainRecord, FlashblockRecord } from '../../state/record.ts'
import type { StateTrie } from '../../state/trie/state-trie.ts'
import type { SealedRange } from '../log/retention.ts'
import type { BuiltBlock, PartialBlock } from './head.ts'
import { PARTIAL_BLOCKS_KEPT, partialOf } from './head-transitions.ts'

export interface NumberedRecord {
  readonly sequence: number
  readonly record: ChainRecord
}

/** Whose blocks the records are from a record on. */
export interface Epoch {
  readonly sequence: number
  readonly leader: string
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
  /** Of the newest blocks, newest first; the first map is the open block's if there is one. */
  readonly partials: readonly ReadonlyMap<Hash, PartialBlock>[]
  /** Every transaction that entered the pool since the chain was unwound last and was not dropped, in order, included ones too. */
  readonly pooled: readonly PoolTransaction[]
  /** What left the pool since, and why. */
  readonly dropped: readonly DroppedTransaction[]
  readonly sealed: readonly SealedRange[]
  /** The newest one, where it is among the records that are kept. */
  readonly epoch: Epoch | undefined
  /** Of the newest record; 0 when there is none. */
  readonly sequence: number
}

/** Records that do not fit the store or each other. */
export class RecoveryError extends Error {
  readonly code = 'RECOVERY_FAILED'
  override readonly name = 'RecoveryError'
}

/** A block while its records are read: its trie waits until it is known which blocks are on the chain. */
interface Building {
  readonly firstSequence: number
  readonly partials: Map<Hash, PartialBlock>
  readonly built: Omit<BuiltBlock, 'trie'>
}

/**
 * Rebuilds what the store does not hold from the records, oldest first: sealed blocks above `base` and the open one,
 * without executing anything (design claim 3). Every header is hashed and every state root compared.
 *
 * @throws RecoveryError when a record contradicts the ones before it
 */
export function recover(base: RecoveryBase, records: Iterable<NumberedRecord>): Recovered {
  const blocks: Building[] = []
  const pooled = new Map<Hash, PoolTransaction>()
  const dropped = new Map<Hash, DroppedTransaction>()
  let waiting: readonly PoolTransaction[] = []
  let open: Building | undefined
  // The file that held the beginning of the block may be gone: the block is in the store, or not on the chain any more.
  let beheaded: number | undefined
  let epoch: Epoch | undefined
  let sequence = 0
  for (const { sequence: number, record } of records) {
    sequence = number
    switch (record.kind) {
      case 'pool':
        waiting = record.transactions
        for (const transaction of waiting) pooled.set(transaction.hash, transaction)
        break
      case 'drop':
        for (const transaction of record.transactions) {
          pooled.delete(transaction.hash)
          dropped.set(transaction.hash, transaction)
        }
        break
      case 'flashblock':
        if (record.index > 0 && open === undefined && blocks.length === 0) {
          beheaded = record.header.number
          break
        }
        beheaded = undefined
        open = withRecord(open, record, number)
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
        beheaded = undefined
        while (blocks.length > 0 && heightOf(blocks.at(-1)!) > record.number) blocks.pop()
        // The record before lists what waited; transactions of the blocks that are gone do not return.
        pooled.clear()
        for (const transaction of waiting) pooled.set(transaction.hash, transaction)
        break
      case 'epoch':
        epoch = { sequence: number, leader: record.leader }
    }
  }
  if (beheaded !== undefined && beheaded > base.number) {
    throw new RecoveryError(`the store ends at block ${base.number}, and of block ${beheaded} only the end is recorded`)
  }
  const above = [...blocks, ...(open === undefined ? [] : [open])].filter((block) => heightOf(block) > base.number)
  checkLinks(
    base,
    above.map(({ built }) => built),
  )
  const built = withTries(base.trie, above)
  const isOpen = open !== undefined && open === above.at(-1)
  return {
    recent: isOpen ? built.slice(0, -1) : built,
    open: isOpen ? built.at(-1) : undefined,
    partials: [
      ...(open === undefined ? [] : [open.partials]),
      ...blocks
        .slice(-PARTIAL_BLOCKS_KEPT)
        .reverse()
        .map(({ partials }) => partials),
    ],
    pooled: [...pooled.values()],
    dropped: [...dropped.values()],
    sealed: blocks.map((block) => ({ number: heightOf(block), firstSequence: block.firstSequence })),
    epoch,
    sequence,
  }

  function withRecord(before: Building | undefined, record: FlashblockRecord, number: number): Building | undefined {
    if (record.index === 0) {
      return { firstSequence: number, partials: new Map(), built: builtBlock(undefined, record) }
    }
    if (before === undefined || heightOf(before) !== record.header.number || lastIndex(before) + 1 !== record.index) {
      throw new RecoveryError(
        `record ${number} is flashblock ${record.index} of block ${record.header.number}: one before it is missing`,
      )
    }
    const partial = partialOf(before.built)
    return {
      firstSequence: before.firstSequence,
      partials: before.partials.set(partial.hash, partial),
      built: builtBlock(before.built, record),
    }
  }
}

/** Blocks above the store with their tries, every root compared. */
function withTries(base: StateTrie, blocks: readonly Building[]): BuiltBlock[] {
  let trie = base
  return blocks.map(({ built }) => {
    for (const layer of built.layers) trie = trieAfter(trie, layer)
    return withTrie(built, trie)
  })
}

function withTrie({ block, receipts, layers }: Building['built'], trie: StateTrie): BuiltBlock {
  return { block, receipts, layers, trie }
}

function trieAfter(before: StateTrie, { header, index, diff }: Pick<Layer, 'header' | 'index' | 'diff'>): StateTrie {
  const trie = before.apply(diff)
  if (trie.root === header.stateRoot) return trie
  throw new RecoveryError(
    `flashblock ${index} of block ${header.number} gives the state root ${trie.root}, its header has ${header.stateRoot}`,
  )
}

/**
 * The block with one more flashblock.
 *
 * @param before the block so far; `undefined`: the record opens it
 * @param trie before the flashblock
 * @throws RecoveryError when the record is not the next one of its block, or its state root is not what its diff gives
 */
export function extendBlock(before: BuiltBlock | undefined, record: FlashblockRecord, trie: StateTrie): BuiltBlock {
  const { header, index } = record
  const next = before === undefined ? 0 : before.layers.at(-1)!.index + 1
  if (index !== next || (before !== undefined && before.block.header.number !== header.number)) {
    throw new RecoveryError(`flashblock ${index} of block ${header.number} comes where flashblock ${next} should`)
  }
  const built = builtBlock(before, record)
  return withTrie(built, trieAfter(trie, record))
}

function builtBlock(before: Building['built'] | undefined, record: FlashblockRecord): Building['built'] {
  const { header } = record
  const hash = hashHeader(header)
  const firstTransaction = before?.block.transactions.length ?? 0
  const { index, transactions: added, receipts, diff } = record
  const layer = createLayer({ header, hash, index, firstTransaction, transactions: added, receipts, diff })
  const transactions = Object.freeze([...(before?.block.transactions ?? []), ...added])
  const content = { header, transactions, uncles: [], withdrawals: [] }
  return {
    block: createBlock({ hash, size: blockSize(content), ...content }),
    receipts: Object.freeze([...(before?.receipts ?? []), ...receipts]),
    layers: [...(before?.layers ?? []), layer],
  }
}

function checkLinks(base: RecoveryBase, blocks: readonly Building['built'][]): void {
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
