import type { Genesis } from '../../chain/genesis/genesis.ts'
import { ChainStore } from '../../state/chain-store/chain-store.ts'
import { openChainDatabase } from '../../state/chain-store/open-chain-database.ts'
import { TrieNodeCache } from '../../state/trie/node-cache.ts'
import { buildGenesis } from '../core/genesis-chain.ts'
import { storedRecords } from '../log/stored-records.ts'
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
