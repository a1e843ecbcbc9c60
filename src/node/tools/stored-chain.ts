import { statSync } from 'node:fs'
import { join } from 'node:path'
import type { Block } from '../../chain/block/block.ts'
import type { Genesis } from '../../chain/genesis/genesis.ts'
import { ChainStore } from '../../state/chain-store/chain-store.ts'
import type { TableName } from '../../state/chain-store/encoding/tables.ts'
import {
  LOCK_NAME,
  openChainDatabase,
  openStoppedDatabase,
  RECORDS_DIRECTORY,
} from '../../state/chain-store/open-chain-database.ts'
import { awaitedRecords, oldestBlock } from '../../state/chain-store/transfer/chain-transfer.ts'
import { assertRecordsReachStore } from '../../state/chain-store/writes/record-numbers.ts'
import { mergeDiffs } from '../../state/diff.ts'
import { decodeRecord } from '../../state/records/record.ts'
import type { Snapshot } from '../../state/snapshot.ts'
import type { StateDiff } from '../../state/state-diff.ts'
import { openStateTrie } from '../../state/trie/state-trie.ts'
import { lockDirectory } from '../../storage/directory-lock.ts'
import { disk } from '../../storage/disk.ts'
import { type KeyValueStore, withSnapshot } from '../../storage/key-value.ts'
import type { DamagedPart } from '../../storage/pages/check-pages.ts'
import { openSegmentReader } from '../../storage/segment-reader.ts'
import { StorageError } from '../../storage/storage-error.ts'
import { buildGenesis, type GenesisBlock } from '../core/genesis-chain.ts'
import type { NumberedRecord } from '../log/journal.ts'
import type { BuiltBlock } from '../machine/head.ts'
import { type Recovered, recover } from '../machine/recovery.ts'
import { alignedHeight } from '../store/store-alignment.ts'
import { trieBefore } from '../store/store-unwinding.ts'
import type { ExportedBlock } from './block-file.ts'

/** One network's chain. */
export interface ChainLocation {
  /** Its data directory. */
  readonly directory: string
  readonly genesis: Genesis
}

/** A data directory opened to be read. Nothing in it is changed, a torn record stays. */
export interface StoredChain {
  readonly directory: string
  readonly genesis: GenesisBlock
  readonly store: KeyValueStore<TableName>
  readonly chain: ChainStore
  /** Compares all pages with their checksums; none for a database without. */
  damagedParts(): readonly DamagedPart[]
  /** All records kept, oldest first. */
  records(): Iterable<NumberedRecord>
  close(): Promise<void>
}

export interface StoredChainOptions {
  /** Whether a node may run on the directory, which then is read through LMDB and without its lock. Default: false. */
  readonly isLive?: boolean
  /** Whether the chain of a replica that began with a snapshot is refused. Default: true. */
  readonly isWhole?: boolean
}

/** @throws StorageError when it is in use, missing, foreign or damaged; its message says what to do */
export async function openStoredChain(
  location: ChainLocation,
  { isLive = false, isWhole = true }: StoredChainOptions = {},
): Promise<StoredChain> {
  const { directory } = location
  const genesis = buildGenesis(location.genesis)
  const identity = { chainId: location.genesis.config.chainId, genesisHash: genesis.block.hash }
  if (statSync(directory, { throwIfNoEntry: false })?.isDirectory() !== true) {
    throw new StorageError('DATABASE_MISSING', `there is no chain in ${directory}: name another with --datadir`, {
      path: directory,
    })
  }
  const lock = isLive ? undefined : await lockDirectory(directory, LOCK_NAME)
  try {
    const store = await (isLive ? openLiveDatabase : openStoppedDatabase)({ path: directory, identity })
    if (isWhole) refusePartial(store, directory)
    const reader = openSegmentReader({ directory: join(directory, RECORDS_DIRECTORY) }, { fileSystem: disk })
    return {
      directory,
      genesis,
      store,
      chain: new ChainStore({ history: 'all' }, { store }),
      damagedParts: () => ('damagedParts' in store ? store.damagedParts() : []),
      *records() {
        const first = reader.first()
        if (first === undefined || withSnapshot(store, awaitedRecords) !== undefined) return
        for (const { sequence, payload } of reader.read(first)) yield { sequence, record: decodeRecord(payload) }
      },
      async close() {
        await store.close()
        await lock?.release()
      },
    }
  } catch (error) {
    await lock?.release()
    throw error
  }
}

/** Its type is that of a stopped one, whose pages may have checksums. */
function openLiveDatabase(options: Parameters<typeof openStoppedDatabase>[0]): ReturnType<typeof openStoppedDatabase> {
  return openChainDatabase({ ...options, readOnly: true })
}

/** Work on a whole chain begins with genesis. */
function refusePartial(store: KeyValueStore<TableName>, path: string): void {
  if (withSnapshot(store, oldestBlock) === 0) return
  const reason = 'is a replica that began with a snapshot and has no blocks before it'
  const message = `${path} ${reason}: do this where the whole chain is`
  throw new StorageError('PARTIAL_CHAIN', message, { path })
}

/** The chain above the store, as the next start of the node will recover it. */
export interface AboveStore {
  /** The newest block of the store that stays: below its newest only when an unwinding was interrupted. */
  readonly height: number
  readonly recovered: Recovered
}

/** @throws RecoveryError, RecordError or StorageError when the records contradict the store or each other */
export function readAbove(stored: StoredChain, snapshot: Snapshot): AboveStore {
  const records = [...stored.records()]
  const lastSequence = records.at(-1)?.sequence ?? 0
  assertRecordsReachStore(stored.store, { lastSequence, path: join(stored.directory, RECORDS_DIRECTORY) })
  const height = alignedHeight(records, snapshot.number, (number) => snapshot.block(number)?.hash)
  const newest = openStateTrie(snapshot.header(snapshot.number)!.stateRoot, snapshot.trieNodes)
  const trie = trieBefore(snapshot, newest, height)
  const { hash } = snapshot.block(height)!
  return { height, recovered: recover({ number: height, hash, trie }, records) }
}

/** The sealed blocks from one height to another, from the store and the records above it. */
export function* sealedBlocks(
  snapshot: Snapshot,
  { height, recovered }: AboveStore,
  range: { readonly from: number; readonly to: number },
): Iterable<ExportedBlock> {
  for (let number = range.from; number <= range.to; number++) {
    if (number <= height) yield storedBlock(snapshot, number)!
    else yield exportedBlock(recovered.recent[number - height - 1]!)
  }
}

/** A stored block with its prelude. */
export function storedBlock(snapshot: Snapshot, number: number): ExportedBlock | undefined {
  const block = snapshot.block(number)
  return block && withPrelude(block, snapshot.prelude(number))
}

/** A recovered block with its prelude. */
export function exportedBlock({ block, prelude }: Pick<BuiltBlock, 'block' | 'prelude'>): ExportedBlock {
  return withPrelude(block, prelude && mergeDiffs(prelude.diffs))
}

function withPrelude(block: Block, prelude: StateDiff | undefined): ExportedBlock {
  return prelude === undefined ? block : { ...block, prelude }
}
