import { join } from 'node:path'
import type { Genesis } from '../../chain/genesis/genesis.ts'
import { ChainStore } from '../../state/chain-store/chain-store.ts'
import { openChainDatabase, RECORDS_DIRECTORY } from '../../state/chain-store/open-chain-database.ts'
import { decodeRecord } from '../../state/records/record.ts'
import { TrieNodeCache } from '../../state/trie/node-cache.ts'
import { disk } from '../../storage/disk.ts'
import { openSegmentReader } from '../../storage/segment-reader.ts'
import { buildGenesis } from '../core/genesis-chain.ts'
import type { NumberedRecord } from '../log/journal.ts'
import { finalityOf } from '../machine/finality.ts'
import { HeadFollower, type HeadFollowerOptions } from './head-follower.ts'

/** Bytes of decoded blocks and of receipts, and twice as much of logs. */
const DECODED_CACHE_BYTES = 4 * 2 ** 20
const TRIE_CACHE_BYTES = 8 * 2 ** 20

export interface FollowerSettings extends Omit<HeadFollowerOptions, 'finality'> {
  readonly genesis: Genesis
  /** That of the followed node. */
  readonly finalityDepth: number
  /** Data directory of the followed node, which another thread or process has open. */
  readonly directory: string
}

/** @throws StorageError when the directory is missing or of another chain */
export async function openFollower(settings: FollowerSettings): Promise<HeadFollower> {
  const { genesis, directory, finalityDepth } = settings
  const identity = { chainId: genesis.config.chainId, genesisHash: buildGenesis(genesis).block.hash }
  const store = await openChainDatabase({ path: directory, identity, readOnly: true })
  const options = { ...settings, finality: finalityOf(finalityDepth, genesis.config) }
  return new HeadFollower(options, {
    chain: new ChainStore({ history: 'all', cacheBytes: DECODED_CACHE_BYTES }, { store }),
    cache: new TrieNodeCache({ bytes: TRIE_CACHE_BYTES }),
    records: storedRecords(directory),
  })
}

/** Records `from` to `to` in a data directory that another thread or process writes. */
export function storedRecords(directory: string): (from: number, to: number) => Iterable<NumberedRecord> {
  const reader = openSegmentReader({ directory: join(directory, RECORDS_DIRECTORY) }, { fileSystem: disk })
  return function* (from, to) {
    for (const { sequence, payload } of reader.read(from, to)) yield { sequence, record: decodeRecord(payload) }
  }
}
