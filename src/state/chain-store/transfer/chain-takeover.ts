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
import { type DropRecord, decodeRecord, encodeRecord, type PoolRecord, RecordError } from '../../records/record.ts'
import type { StateDiff } from '../../state-diff.ts'
import type { TrieNodeCache } from '../../trie/node-cache.ts'
import { createStateTrie, type StateTrie } from '../../trie/state-trie.ts'
import { blockKey, heightIn } from '../encoding/keys.ts'
import {
  FINALIZED_KEY,
  OLDEST_BLOCK_KEY,
  OLDEST_STATE_KEY,
  POOL_KEYS,
  UNFINISHED_KEY,
} from '../encoding/metadata-keys.ts'
import { TABLE_NAMES, type TableName } from '../encoding/tables.ts'
import { put, type Write } from '../encoding/write.ts'
import { blockWrites } from '../writes/block-writes.ts'
import { stateWrites } from '../writes/state-writes.ts'
import { trieNodesIn, trieNodeWrites } from '../writes/trie-node-writes.ts'

const REMOVALS_PER_COMMIT = 20_000

/** The oldest stored block above genesis. */
export function oldestBlock(reader: KeyValueReader<TableName>): number {
  const value = reader.get('metadata', OLDEST_BLOCK_KEY)
  return value === undefined ? 0 : heightIn(value)
}

/** Whether a transfer was interrupted: it must be repeated. */
export function isTransferUnfinished(store: KeyValueStore<TableName>): boolean {
  return withSnapshot(store, (reader) => reader.get('metadata', UNFINISHED_KEY) !== undefined)
}

/** The pool of a transferred chain. */
export interface TransferredPool {
  /** The first record after it. */
  readonly from: number
  readonly records: readonly (PoolRecord | DropRecord)[]
}

/** Pooled and dropped transactions at the time of the transfer, which no stored record contains. */
export function transferredPool(reader: KeyValueReader<TableName>): TransferredPool | undefined {
  const [first, ...others] = Array.from(reader.range('metadata', POOL_KEYS), ({ value }) => value)
  if (first === undefined) return undefined
  return { from: heightIn(first), records: others.map((value) => decodeRecord(value) as PoolRecord | DropRecord) }
}

/** Empties a store; incomplete if interrupted. */
export async function clearChain(store: KeyValueStore<TableName>): Promise<void> {
  await (await ChainTransfer.begin({ number: 0 }, { store })).abandon()
}

export interface ChainTransferDeps {
  readonly store: KeyValueStore<TableName>
  readonly cache?: TrieNodeCache
}

/**
 * Fills a store with a chain as of one sealed block, in chunks of bounded size: state, newest blocks and genesis.
 * Snapshots taken before keep their content. Until `finish` the store is marked incomplete.
 *
 * @example
 *   const takeover = await ChainTakeover.begin({ number }, { store, cache })
 *   await takeover.addState(part)
 *   await takeover.addBlock(block, receipts)
 *   await takeover.finish({ oldestBlock })
 */
export class ChainTransfer {
  readonly #number: number
  readonly #deps: ChainTransferDeps
  #trie: StateTrie = createStateTrie()
  /** Source of the trie nodes. */
  #snapshot: KeyValueSnapshot<TableName> | undefined

  private constructor(number: number, deps: ChainTransferDeps) {
    this.#number = number
    this.#deps = deps
  }

  /** Discards the content of the store. @param number of the block whose state follows */
  static async begin({ number }: { readonly number: number }, deps: ChainTransferDeps): Promise<ChainTransfer> {
    const { store } = deps
    await commit(store, [put('metadata', UNFINISHED_KEY, blockKey(number))])
    for (const table of TABLE_NAMES.filter((name) => name !== 'metadata')) await clear(store, table)
    await clear(store, 'metadata', POOL_KEYS)
    await commit(store, [
      { table: 'metadata', key: OLDEST_STATE_KEY, value: undefined },
      { table: 'metadata', key: FINALIZED_KEY, value: undefined },
      { table: 'metadata', key: OLDEST_BLOCK_KEY, value: undefined },
    ])
    return new ChainTransfer(number, deps)
  }

  /** The trie of all chunks so far; with the last one its root is that of the header. */
  get trie(): StateTrie {
    return this.#trie
  }

  /**
   * Adds accounts, slots and code that no chunk had before; an account may repeat with more slots.
   *
   * @throws RecordError when code is missing: no root commits to its presence, and the contract would appear to have
   *   none
   */
  async addState(diff: StateDiff): Promise<void> {
    const { store, cache } = this.#deps
    const trie = this.#trie.apply(diff)
    const nodes = trie.writesSince(this.#trie)
    const before = store.snapshot()
    try {
      assertCode(diff, before)
      const writes = [...stateWrites(before, [{ number: this.#number, diff }]), ...trieNodeWrites(before, nodes)]
      // The chain cannot unwind below this block.
      await commit(
        store,
        writes.filter(({ table }) => table !== 'changes'),
      )
    } finally {
      before.release()
    }
    // Renewed for each chunk, so that only the nodes of one chunk are in memory.
    this.#snapshot?.release()
    this.#snapshot = store.snapshot()
    this.#trie = trie.withSource(trieNodesIn(this.#snapshot), trie, cache)
  }

  async addBlock(block: Block, receipts: readonly Receipt[]): Promise<void> {
    await commit(this.#deps.store, [...blockWrites(block, receipts)])
  }

  /** Marks the store complete; blocks between genesis and `oldestBlock` are not in it. */
  async finish({
    oldestBlock,
    pool,
  }: {
    readonly oldestBlock: number
    readonly pool?: TransferredPool
  }): Promise<void> {
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

  /** Releases its snapshot; without `finish` the store stays marked incomplete. */
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
