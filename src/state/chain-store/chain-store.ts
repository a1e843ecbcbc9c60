import type { Block } from '../../chain/block/block.ts'
import type { Receipt } from '../../chain/receipt/receipt.ts'
import { BoundedCache } from '../../primitives/bounded-cache.ts'
import type { Hash } from '../../primitives/hex.ts'
import { type KeyValueReader, type KeyValueStore, withSnapshot } from '../../storage/key-value.ts'
import { WriteBatch } from '../../storage/write-batch.ts'
import type { ChainBelow } from '../chain-below.ts'
import { BlockOutOfOrderError, StatePrunedError } from '../chain-errors.ts'
import type { Snapshot } from '../snapshot.ts'
import type { StateDiff } from '../state-diff.ts'
import type { TrieNodeWrites } from '../trie-node-source.ts'
import { ChainSnapshot, type DecodedBlocks } from './chain-snapshot.ts'
import { hashInHeader } from './encoding/block-values.ts'
import { heightIn } from './encoding/keys.ts'
import type { TableName } from './encoding/tables.ts'
import type { Write } from './encoding/write.ts'
import { holderWrites, unwoundNote } from './logs/token-holders.ts'
import { ChainTransfer } from './transfer/chain-transfer.ts'
import { blockRemovals, blockWrites, headerContent } from './writes/block-writes.ts'
import { oldestState, pruningTarget, pruningWrites } from './writes/pruning.ts'
import { newestRecordWrite, poolCheckpointWrite } from './writes/record-numbers.ts'
import { stateWrites } from './writes/state-writes.ts'
import { codeWritesFrom } from './writes/state-writes-below.ts'
import { trieNodeWrites } from './writes/trie-node-writes.ts'
import { finalizedWrites, unwindWrites } from './writes/unwinding.ts'

export interface ChainStoreOptions {
  /**
   * Number of blocks below the newest whose state stays readable, at least 1. Blocks, receipts and logs are kept in any
   * case.
   */
  readonly history: number | 'all'
  /** Memory for decoded blocks, in bytes; as much again for receipts and twice as much for logs. Default: 16 MiB. */
  readonly cacheBytes?: number
}

export interface ChainStoreDeps {
  readonly store: Pick<KeyValueStore<TableName>, 'snapshot' | 'commit' | 'replace'>
  /** The chain on which this one begins, if it is a fork. The state of all own blocks is then retained. */
  readonly below?: ChainBelow | undefined
  /** Yields to other work; called every few hundred writes while a commit is assembled. */
  readonly yieldTurn?: () => Promise<void>
}

/** The content of a sealed block. */
export interface SealedContent {
  readonly block: Block
  readonly receipts: readonly Receipt[]
  /** State changes from outside between the parent and the block. */
  readonly prelude?: StateDiff | undefined
  /** Of the whole block. */
  readonly diff: StateDiff
}

/** Sealed blocks to append in one commit. */
export interface BlockWrite extends SealedContent {
  /** Blocks after it, in order. Default: none. */
  readonly following?: readonly SealedContent[] | undefined
  /** From the state before the first block to that after the last. */
  readonly trieNodes: TrieNodeWrites
  /** Sequence number of the record that sealed the newest of these blocks, if there is one. */
  readonly record?: number | undefined
  /** Sequence number of the newest durable record that lists the whole pool, or 0. Default: the one stored before. */
  readonly poolCheckpoint?: number | undefined
}

/** Applied in order. */
type Writes = readonly Iterable<Write>[]

const DEFAULT_CACHE_BYTES = 16 * 2 ** 20
/** Log queries decode tens of thousands of logs. */
const LOGS_SHARE = 2
/** Block hashes and timestamps for logs: 3,500 blocks per MiB. */
const METADATA_SHARE = 1 / 4
/** About half a millisecond of encoding; a large value counts several times. */
const WRITES_PER_SLICE = 128
const BYTES_PER_WRITE = 256

/**
 * The sealed chain on disk: blocks, receipts, logs and their index, the state at the tip and after every retained
 * block. One atomic commit per block or group of blocks; writers are serialised, readers never wait.
 *
 * @example
 *   const chain = new ChainStore({ history: 'all' }, { store })
 *   await chain.append({ block, receipts, diff, trieNodes })
 *   const snapshot = chain.snapshot()
 */
export class ChainStore {
  #history: number | 'all'
  readonly #store: ChainStoreDeps['store']
  readonly #yieldTurn: () => Promise<void>
  #decoded: DecodedBlocks
  #below: ChainBelow | undefined
  readonly #cacheBytes: number
  /** The last change; each one reads the result of its predecessor. */
  #last: Promise<void> = Promise.resolve()

  constructor({ history, cacheBytes = DEFAULT_CACHE_BYTES }: ChainStoreOptions, deps: ChainStoreDeps) {
    // Deletions of what the chain below has are found in history only.
    this.#history = deps.below === undefined ? history : 'all'
    this.#below = deps.below
    this.#store = deps.store
    this.#yieldTurn = deps.yieldTurn ?? (() => Promise.resolve())
    this.#cacheBytes = cacheBytes
    this.#decoded = decodedBlocks(cacheBytes)
  }

  /** Retains the state of at least this many blocks from now on, whatever the options say. */
  keepAtLeast(blocks: number): void {
    if (this.#history !== 'all') this.#history = Math.max(this.#history, blocks)
  }

  /** Retains the state of this many blocks more than now. */
  keepMore(blocks: number): void {
    if (this.#history !== 'all') this.#history += blocks
  }

  /** The newest committed block; `undefined` for an empty store. */
  newest(): { readonly number: number; readonly hash: Hash } | undefined {
    return withSnapshot(this.#store, newestIn)
  }

  /**
   * A snapshot of everything committed, with one owner.
   *
   * @throws BlockOutOfOrderError for an empty store; CorruptValueError
   */
  snapshot(): Snapshot {
    const reader = this.#store.snapshot()
    try {
      const newest = newestIn(reader)
      if (newest === undefined) throw new BlockOutOfOrderError('the chain is empty: append genesis first')
      return new ChainSnapshot({ number: newest.number }, { reader, decoded: this.#decoded, below: this.#below })
    } catch (error) {
      reader.release()
      throw error
    }
  }

  /**
   * Appends the next sealed block, genesis first, or several, and prunes the state that leaves the history. Atomic,
   * and durable when it resolves.
   *
   * @param onAssembled called when only the disk is waited for
   * @throws BlockOutOfOrderError when the block is not the child of the newest one; StorageError
   */
  append(write: BlockWrite, onAssembled?: () => void): Promise<void> {
    return this.#change((reader) => {
      let below = newestIn(reader)
      for (const { block } of [write, ...(write.following ?? [])]) {
        assertNext(below, block)
        below = { number: block.header.number, hash: block.hash }
      }
      return this.#appendWrites(reader, write)
    }, onAssembled)
  }

  /**
   * Unwinds all blocks above `number` in one commit: state, history, logs, index and look-ups are restored.
   *
   * @param trieNodes turns the trie nodes of the newest block into those of block `number`
   * @param finality the finalized block from now on; `isReplayed`: the records of the chain are applied once more,
   *   and blocks finalized since then stay finalized. Default: unchanged
   * @param genesis replaces block 0, when all blocks above it are unwound. Its state is the same
   * @throws BlockOutOfOrderError when there is no such block; StatePrunedError when its state is pruned
   */
  unwind(
    number: number,
    trieNodes: TrieNodeWrites,
    finality?: { readonly finalized: number; readonly isReplayed?: boolean },
    genesis?: Block,
  ): Promise<void> {
    return this.#change((reader) => {
      const newest = newestIn(reader)
      if (newest === undefined || number < 0 || number > newest.number) {
        throw new BlockOutOfOrderError(
          `cannot go back to block ${number}: the newest is ${newest?.number ?? 'missing'}`,
        )
      }
      const oldest = oldestState(reader)
      if (number < oldest) throw new StatePrunedError(number, oldest)
      return [
        unwindWrites(reader, newest.number, number),
        trieNodeWrites(reader, trieNodes),
        finality === undefined ? [] : finalizedWrites(reader, number, finality),
        genesis === undefined ? [] : replacementWrites(reader, genesis),
        unwoundNote(reader, { before: newest.hash, number, hash: genesis?.hash ?? hashAt(reader, number) }),
      ]
    })
  }

  /**
   * Begins on a block of another chain: replaces the content of the store. Snapshots taken before keep it. Atomic.
   *
   * @param below the chain up to this block
   */
  beginOn(block: Block, below: ChainBelow): Promise<void> {
    const change = this.#last.then(async () => {
      const { number } = block.header
      const transfer = await ChainTransfer.begin({ number }, { store: this.#store })
      await transfer.addBlock(block, [])
      await transfer.finish({ oldestBlock: number })
      this.#below = below
      this.#decoded = decodedBlocks(this.#cacheBytes)
    })
    this.#last = change.catch(() => {})
    return change
  }

  #appendWrites(reader: KeyValueReader<TableName>, write: BlockWrite): Writes {
    const { trieNodes, record, poolCheckpoint, following = [] } = write
    const contents = [write, ...following]
    const isForked = this.#below !== undefined
    const numbered = contents.map(({ block, prelude, diff }) => ({
      number: block.header.number,
      prelude,
      diff,
      isForked,
    }))
    return [
      ...contents.map(({ block, receipts }) => blockWrites(block, receipts)),
      holderWrites(reader, contents),
      stateWrites(reader, numbered),
      this.#below === undefined ? [] : codeWritesFrom(this.#below, reader, contents),
      trieNodeWrites(reader, trieNodes),
      pruningWrites(reader, pruningTarget(numbered, this.#history)),
      record === undefined ? [] : [newestRecordWrite(record)],
      poolCheckpoint === undefined ? [] : [poolCheckpointWrite(poolCheckpoint)],
    ]
  }

  #change(writes: (reader: KeyValueReader<TableName>) => Writes, onAssembled?: () => void): Promise<void> {
    const change = this.#last.then(async () => {
      const reader = this.#store.snapshot()
      try {
        const committed = this.#store.commit(await this.#collect(writes(reader)))
        if (onAssembled !== undefined) {
          committed.catch(() => {})
          // The thread of the store begins first.
          await this.#yieldTurn()
          onAssembled()
        }
        await committed
      } finally {
        reader.release()
      }
    })
    this.#last = change.catch(() => {})
    return change
  }

  async #collect(writes: Writes): Promise<WriteBatch<TableName>> {
    const batch = new WriteBatch<TableName>()
    let work = 0
    for (const part of writes) {
      for (const write of part) {
        batch.add(write)
        work += 1 + (write.value?.length ?? 0) / BYTES_PER_WRITE
        if (work < WRITES_PER_SLICE) continue
        work = 0
        await this.#yieldTurn()
      }
    }
    return batch
  }
}

function decodedBlocks(maxBytes: number): DecodedBlocks {
  return {
    blocks: new BoundedCache({ maxBytes }),
    receipts: new BoundedCache({ maxBytes }),
    logs: new BoundedCache({ maxBytes: maxBytes * LOGS_SHARE }),
    metadata: new BoundedCache({ maxBytes: maxBytes * METADATA_SHARE }),
  }
}

/** Writes a block in place of the one of its height. */
function* replacementWrites(reader: KeyValueReader<TableName>, block: Block): Iterable<Write> {
  yield* blockRemovals(reader, block.header.number)
  yield* blockWrites(block, [])
}

function newestIn(reader: KeyValueReader<TableName>): { readonly number: number; readonly hash: Hash } | undefined {
  const [newest] = reader.range('headers', { reverse: true, limit: 1 })
  if (newest === undefined) return undefined
  const number = heightIn(newest.key)
  return { number, hash: hashInHeader(headerContent(reader, number)!) }
}

function hashAt(reader: KeyValueReader<TableName>, number: number): Hash {
  return hashInHeader(headerContent(reader, number)!)
}

function assertNext(newest: ReturnType<typeof newestIn>, { header }: Block): void {
  const { number, parentHash } = header
  const next = newest === undefined ? 0 : newest.number + 1
  if (number !== next) throw new BlockOutOfOrderError(`block ${next} comes next, got block ${number}`)
  if (newest !== undefined && parentHash !== newest.hash) {
    throw new BlockOutOfOrderError(`block ${number} has the parent ${parentHash}, not ${newest.hash}`)
  }
}
