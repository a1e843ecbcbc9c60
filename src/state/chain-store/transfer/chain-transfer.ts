import type { Block } from '../../../chain/block/block.ts'
import type { Receipt } from '../../../chain/receipt/receipt.ts'
import { hexToBytes } from '../../../primitives/hex.ts'
import { EMPTY_CODE_HASH } from '../../../primitives/keccak.ts'
import {
  type KeyValueReader,
  type KeyValueSnapshot,
  type KeyValueStore,
  type TableReplacement,
  withSnapshot,
} from '../../../storage/key-value.ts'
import { TableSets } from '../../../storage/table-sets.ts'
import { WriteBatch } from '../../../storage/write-batch.ts'
import { type DropRecord, decodeRecord, encodeRecord, type PoolRecord, RecordError } from '../../records/record.ts'
import type { HolderPart } from '../../snapshot.ts'
import type { StateDiff } from '../../state-diff.ts'
import type { TrieNodeCache } from '../../trie/node-cache.ts'
import { createStateTrie, type StateTrie } from '../../trie/state-trie.ts'
import { blockKey, heightIn } from '../encoding/keys.ts'
import {
  FINALIZED_KEY,
  NEWEST_RECORD_KEY,
  OLDEST_BLOCK_KEY,
  OLDEST_STATE_KEY,
  POOL_CHECKPOINT_KEY,
  POOL_KEYS,
  RECORDS_FROM_KEY,
} from '../encoding/metadata-keys.ts'
import { CHAIN_TABLES, type TableName } from '../encoding/tables.ts'
import { put, type Write } from '../encoding/write.ts'
import { holderWrites, noteWrite, transferredHolders } from '../logs/token-holders.ts'
import { blockWrites } from '../writes/block-writes.ts'
import { stateWrites } from '../writes/state-writes.ts'
import { trieNodesIn, trieNodeWrites } from '../writes/trie-node-writes.ts'

const CHAIN_SETS = new TableSets<TableName>(CHAIN_TABLES.tables, CHAIN_TABLES.replaceable)

/** The oldest stored block above genesis. */
export function oldestBlock(reader: KeyValueReader<TableName>): number {
  const value = reader.get('metadata', OLDEST_BLOCK_KEY)
  return value === undefined ? 0 : heightIn(value)
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

/**
 * The records that belong to the store begin with this number, and those in the log are of the chain that it replaced.
 * `undefined`: those in the log belong to it.
 */
export function awaitedRecords(reader: KeyValueReader<TableName>): number | undefined {
  const value = reader.get('metadata', RECORDS_FROM_KEY)
  return value === undefined ? undefined : heightIn(value)
}

/** How often the chain was replaced; `undefined`: the records in the log are still those of the one before. */
export function replacedChains(reader: KeyValueReader<TableName>): number | undefined {
  return awaitedRecords(reader) === undefined ? CHAIN_SETS.replacements(reader) : undefined
}

/**
 * Deletes the records of a replaced chain, if that is still to do.
 *
 * @param reset deletes all records, and gives the next one this number
 */
export async function dropReplacedRecords(
  store: KeyValueStore<TableName>,
  reset: (first: number) => Promise<void>,
): Promise<void> {
  const first = withSnapshot(store, awaitedRecords)
  if (first === undefined) return
  await reset(first)
  await commit(store, [{ table: 'metadata', key: RECORDS_FROM_KEY, value: undefined }])
}

type ReplaceableChain = Pick<KeyValueStore<TableName>, 'snapshot' | 'commit' | 'replace'>

export interface ChainTransferDeps {
  readonly store: ReplaceableChain
  readonly cache?: TrieNodeCache
}

/**
 * Replaces the chain of a store by another one as of one sealed block, which arrives in chunks of bounded size: state,
 * newest blocks and genesis. Until `finish`, readers and the next start have the old chain; then all of the new one.
 *
 * @example
 *   const transfer = await ChainTransfer.begin({ number }, { store, cache })
 *   await transfer.addState(part)
 *   await transfer.addBlock(block, receipts)
 *   await transfer.finish({ oldestBlock })
 */
export class ChainTransfer {
  readonly #number: number
  readonly #deps: ChainTransferDeps
  readonly #tables: TableReplacement<TableName>
  #trie: StateTrie = createStateTrie()
  #newest: Block | undefined
  /** As the source says; `undefined`: it has sent no index of token holders. */
  #holdersFrom: number | undefined
  /** Source of the trie nodes. */
  #snapshot: KeyValueSnapshot<TableName> | undefined

  private constructor(number: number, tables: TableReplacement<TableName>, deps: ChainTransferDeps) {
    this.#number = number
    this.#tables = tables
    this.#deps = deps
  }

  /** @param number of the block whose state follows */
  static async begin({ number }: { readonly number: number }, deps: ChainTransferDeps): Promise<ChainTransfer> {
    return new ChainTransfer(number, await replacementOf(deps.store), deps)
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
    const { cache } = this.#deps
    const trie = this.#trie.apply(diff)
    const nodes = trie.writesSince(this.#trie)
    const before = this.#tables.snapshot()
    try {
      assertCode(diff, before)
      const writes = [...stateWrites(before, [{ number: this.#number, diff }]), ...trieNodeWrites(before, nodes)]
      // The chain cannot unwind below this block.
      await commit(
        this.#tables,
        writes.filter(({ table }) => table !== 'changes'),
      )
    } finally {
      before.release()
    }
    // Renewed for each chunk, so that only the nodes of one chunk are in memory.
    this.#snapshot?.release()
    this.#snapshot = this.#tables.snapshot()
    this.#trie = trie.withSource(trieNodesIn(this.#snapshot), trie, cache)
  }

  /** Adds a part of the index of token holders, which must precede the blocks. */
  async addHolders({ from, holders }: HolderPart): Promise<void> {
    this.#holdersFrom = from
    await commit(this.#tables, transferredHolders(holders))
  }

  async addBlock(block: Block, receipts: readonly Receipt[]): Promise<void> {
    this.#newest = block
    const before = this.#tables.snapshot()
    try {
      const writes = [...blockWrites(block, receipts), ...holderWrites(before, [{ block, receipts }])]
      await commit(this.#tables, writes)
    } finally {
      before.release()
    }
  }

  /**
   * Puts the transferred chain in place of the other one, in one commit.
   *
   * @param oldestBlock blocks between genesis and this one are not in it
   * @param recordsFrom the first record after it: those in the log are to be dropped (`dropReplacedRecords`). Default:
   *   they stay
   */
  async finish({ oldestBlock, pool, recordsFrom }: FinishedTransfer): Promise<void> {
    this.close()
    const newest = this.#newest
    // Without an index of the source, it begins with the transferred blocks.
    if (newest !== undefined) await commit(this.#tables, [noteWrite(this.#holdersFrom ?? oldestBlock, newest.hash)])
    await completeReplacement(this.#deps.store, this.#tables, [
      ...poolWrites(pool),
      put('metadata', OLDEST_STATE_KEY, blockKey(this.#number)),
      put('metadata', OLDEST_BLOCK_KEY, blockKey(oldestBlock)),
      ...recordsFromWrites(recordsFrom),
    ])
  }

  /** Releases its snapshot; without `finish` the store keeps the chain that it has. */
  close(): void {
    this.#snapshot?.release()
    this.#snapshot = undefined
  }
}

export interface FinishedTransfer {
  readonly oldestBlock: number
  readonly pool?: TransferredPool
  readonly recordsFrom?: number
}

/**
 * Replaces the chain of a store by its beginning, for a node that receives all records.
 *
 * @param fill stores block 0
 * @param recordsFrom as in `ChainTransfer.finish`
 */
export async function beginAnew(
  store: ReplaceableChain,
  fill: (tables: TableReplacement<TableName>) => Promise<void>,
  recordsFrom: number,
): Promise<void> {
  const tables = await replacementOf(store)
  await fill(tables)
  await completeReplacement(store, tables, recordsFromWrites(recordsFrom))
}

function replacementOf(store: ReplaceableChain): Promise<TableReplacement<TableName>> {
  if (store.replace === undefined) throw new Error('a store that is only read cannot be replaced')
  return store.replace()
}

/** Removes what the metadata say about the replaced chain. */
function completeReplacement(
  store: ReplaceableChain,
  tables: TableReplacement<TableName>,
  writes: readonly Write[],
): Promise<void> {
  const pool = withSnapshot(store, (reader) => Array.from(reader.range('metadata', POOL_KEYS), ({ key }) => key))
  const stale = [...pool, OLDEST_STATE_KEY, OLDEST_BLOCK_KEY, FINALIZED_KEY]
  return tables.complete(
    batchOf([...stale.map((key): Write => ({ table: 'metadata', key, value: undefined })), ...writes]),
  )
}

function poolWrites(pool: TransferredPool | undefined): readonly Write[] {
  const items = pool === undefined ? [] : [blockKey(pool.from), ...pool.records.map(encodeRecord)]
  return items.map((item, index) => put('metadata', Buffer.concat([POOL_KEYS.from, blockKey(index)]), item))
}

/** The store must not refer to records of the log that is dropped. */
function recordsFromWrites(recordsFrom: number | undefined): readonly Write[] {
  if (recordsFrom === undefined) return []
  return [
    put('metadata', RECORDS_FROM_KEY, blockKey(recordsFrom)),
    { table: 'metadata', key: NEWEST_RECORD_KEY, value: undefined },
    { table: 'metadata', key: POOL_CHECKPOINT_KEY, value: undefined },
  ]
}

function assertCode({ accounts, code }: StateDiff, reader: KeyValueReader<TableName>): void {
  for (const [address, { account }] of accounts) {
    const hash = account?.codeHash ?? EMPTY_CODE_HASH
    if (hash === EMPTY_CODE_HASH || code.has(hash) || reader.get('code', hexToBytes(hash)) !== undefined) continue
    throw new RecordError(`the code of ${address} is missing`)
  }
}

async function commit(store: Pick<KeyValueStore<TableName>, 'commit'>, writes: Iterable<Write>): Promise<void> {
  await store.commit(batchOf(writes))
}

function batchOf(writes: Iterable<Write>): WriteBatch<TableName> {
  const batch = new WriteBatch<TableName>()
  for (const write of writes) batch.add(write)
  return batch
}
