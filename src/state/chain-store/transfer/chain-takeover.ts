import type { Block } from '../../../chain/block/block.ts'
import type { Receipt } from '../../../chain/receipt/receipt.ts'
import { hexToBytes } from '../../../primitives/hex.ts'
import { EMPTY_CODE_HASH } from '../../../primitives/keccak.ts'
import {
  type KeyValueReader,
  type KeyValueSnapshot,
  type KeyValueStore,
  type Range,
  withSnapshot,
} from '../../../storage/key-value.ts'
import { WriteBatch } from '../../../storage/write-batch.ts'
import { type DropRecord, decodeRecord, encodeRecord, type PoolRecord, RecordError } from '../../record.ts'
import type { StateDiff } from '../../state-diff.ts'
import type { TrieNodeCache } from '../../trie/node-cache.ts'
import { createStateTrie, type StateTrie } from '../../trie/state-trie.ts'
import { blockWrites } from '../block-writes.ts'
import { blockKey, heightIn } from '../encoding/keys.ts'
import { OLDEST_STATE_KEY } from '../pruning.ts'
import { stateWrites } from '../state-writes.ts'
import { TABLE_NAMES, type TableName } from '../tables.ts'
import { trieNodesIn, trieNodeWrites } from '../trie-node-writes.ts'
import { FINALIZED_KEY } from '../unwinding.ts'
import { put, type Write } from '../write.ts'

/** In `metadata`: the oldest block above genesis that is here; absent where all are. */
const OLDEST_BLOCK_KEY = Buffer.from('oldestBlock', 'ascii')
/** In `metadata` while a chain is being taken over: what is in the tables then is of no use. */
const UNFINISHED_KEY = Buffer.from('takeover', 'ascii')
/** In `metadata` of a replica: what the node that it follows said of itself. */
export const SOURCE_KEY = Buffer.from('source', 'ascii')
/** In `metadata`, with a number behind it: first the record before which the pool was that of the records that follow. */
const POOL_KEYS = { from: Buffer.from('pool\x00', 'latin1'), to: Buffer.from('pool\x01', 'latin1') }
const REMOVALS_PER_COMMIT = 20_000

/** The oldest block above genesis that is here. */
export function oldestBlock(reader: KeyValueReader<TableName>): number {
  const value = reader.get('metadata', OLDEST_BLOCK_KEY)
  return value === undefined ? 0 : heightIn(value)
}

/** Whether the process ended while a chain was taken over: what is there has to be taken over anew. */
export function isTakeoverUnfinished(store: KeyValueStore<TableName>): boolean {
  return withSnapshot(store, (reader) => reader.get('metadata', UNFINISHED_KEY) !== undefined)
}

/** The pool of a chain that was taken over. */
export interface TakenPool {
  /** The first record after it. */
  readonly from: number
  readonly records: readonly (PoolRecord | DropRecord)[]
}

/** What waited, and what had left the pool, when the chain was taken over: no record that is here tells of it. */
export function takenPool(reader: KeyValueReader<TableName>): TakenPool | undefined {
  const [first, ...others] = Array.from(reader.range('metadata', POOL_KEYS), ({ value }) => value)
  if (first === undefined) return undefined
  return { from: heightIn(first), records: others.map((value) => decodeRecord(value) as PoolRecord | DropRecord) }
}

/** Empties a store; ended in the middle, it is of no use. */
export async function clearChain(store: KeyValueStore<TableName>): Promise<void> {
  await (await ChainTakeover.begin({ number: 0 }, { store })).abandon()
}

export interface ChainTakeoverDeps {
  readonly store: KeyValueStore<TableName>
  readonly cache?: TrieNodeCache
}

/**
 * Fills a store with a chain as of one sealed block, in pieces of bounded size: the state, the newest blocks and genesis.
 * Whoever holds a snapshot from before keeps what it saw. Until `finish` the store says that it is of no use.
 *
 * @example
 * const takeover = await ChainTakeover.begin({ number }, { store, cache })
 * await takeover.addState(part); await takeover.addBlock(block, receipts); await takeover.finish({ oldestBlock })
 */
export class ChainTakeover {
  readonly #number: number
  readonly #deps: ChainTakeoverDeps
  #trie: StateTrie = createStateTrie()
  /** What the trie's nodes are read from. */
  #snapshot: KeyValueSnapshot<TableName> | undefined

  private constructor(number: number, deps: ChainTakeoverDeps) {
    this.#number = number
    this.#deps = deps
  }

  /** Gives up what the store held. @param number of the block whose state comes */
  static async begin({ number }: { readonly number: number }, deps: ChainTakeoverDeps): Promise<ChainTakeover> {
    const { store } = deps
    await commit(store, [put('metadata', UNFINISHED_KEY, blockKey(number))])
    for (const table of TABLE_NAMES.filter((name) => name !== 'metadata')) await clear(store, table)
    await clear(store, 'metadata', POOL_KEYS)
    await commit(store, [
      { table: 'metadata', key: OLDEST_STATE_KEY, value: undefined },
      { table: 'metadata', key: FINALIZED_KEY, value: undefined },
      { table: 'metadata', key: OLDEST_BLOCK_KEY, value: undefined },
    ])
    return new ChainTakeover(number, deps)
  }

  /** The trie of all parts so far; its root is that of the header when all have come. */
  get trie(): StateTrie {
    return this.#trie
  }

  /**
   * Accounts, slots and code that no part before had; an account may come again with more slots.
   *
   * @throws RecordError when code is missing: no root tells of that, and its contract would pass for an account without any
   */
  async addState(diff: StateDiff): Promise<void> {
    const { store, cache } = this.#deps
    const trie = this.#trie.apply(diff)
    const nodes = trie.writesSince(this.#trie)
    const before = store.snapshot()
    try {
      assertCode(diff, before)
      const writes = [...stateWrites(before, this.#number, diff), ...trieNodeWrites(before, nodes)]
      // There is no block before that could be gone back to.
      await commit(
        store,
        writes.filter(({ table }) => table !== 'changes'),
      )
    } finally {
      before.release()
    }
    // Reads what is there now and is let go of with the next part; nodes in memory are only those of one part.
    this.#snapshot?.release()
    this.#snapshot = store.snapshot()
    this.#trie = trie.withSource(trieNodesIn(this.#snapshot), trie, cache)
  }

  async addBlock(block: Block, receipts: readonly Receipt[]): Promise<void> {
    await commit(this.#deps.store, [...blockWrites(block, receipts)])
  }

  /** From now on the store is a chain; blocks between genesis and `oldestBlock` are not in it. */
  async finish({ oldestBlock, pool }: { readonly oldestBlock: number; readonly pool?: TakenPool }): Promise<void> {
    this.close()
    const items = pool === undefined ? [] : [blockKey(pool.from), ...pool.records.map(encodeRecord)]
    await commit(this.#deps.store, [
      ...items.map((item, index) => put('metadata', Buffer.concat([POOL_KEYS.from, blockKey(index)]), item)),
      put('metadata', OLDEST_STATE_KEY, blockKey(this.#number)),
      put('metadata', OLDEST_BLOCK_KEY, blockKey(oldestBlock)),
      { table: 'metadata', key: UNFINISHED_KEY, value: undefined },
    ])
  }

  /** Leaves an empty store. */
  async abandon(): Promise<void> {
    this.close()
    await commit(this.#deps.store, [{ table: 'metadata', key: UNFINISHED_KEY, value: undefined }])
  }

  /** Gives back what it reads; the store stays of no use unless it is finished. */
  close(): void {
    this.#snapshot?.release()
    this.#snapshot = undefined
  }
}

function assertCode({ accounts, code }: StateDiff, reader: KeyValueReader<TableName>): void {
  for (const [address, { account }] of accounts) {
    const hash = account?.codeHash ?? EMPTY_CODE_HASH
    if (hash === EMPTY_CODE_HASH || code.has(hash) || reader.get('code', hexToBytes(hash)) !== undefined) continue
    throw new RecordError(`the code of ${address} is missing`)
  }
}

async function clear(store: KeyValueStore<TableName>, table: TableName, range: Range = {}): Promise<void> {
  for (;;) {
    const keys = withSnapshot(store, (reader) =>
      Array.from(reader.range(table, { ...range, limit: REMOVALS_PER_COMMIT }), ({ key }) => key),
    )
    if (keys.length === 0) return
    await commit(
      store,
      keys.map((key) => ({ table, key, value: undefined })),
    )
  }
}

async function commit(store: KeyValueStore<TableName>, writes: Iterable<Write>): Promise<void> {
  const batch = new WriteBatch<TableName>()
  for (const { table, key, value } of writes) {
    if (value === undefined) batch.delete(table, key)
    else batch.put(table, key, value)
  }
  await store.commit(batch)
}
