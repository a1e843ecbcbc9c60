import { join } from 'node:path'
import type { Logger } from 'pino'
import type { Genesis } from '../../chain/genesis/genesis.ts'
import { createEngine } from '../../engine/session/create-engine.ts'
import { Pool } from '../../pool/pool.ts'
import { ChainStore } from '../../state/chain-store/chain-store.ts'
import { openChainDatabase, RECORDS_DIRECTORY } from '../../state/chain-store/open-chain-database.ts'
import { type PoolChange, poolChangesOf } from '../../state/records/record-kinds.ts'
import { TrieNodeCache } from '../../state/trie/node-cache.ts'
import { disk } from '../../storage/disk.ts'
import { openSegmentReader } from '../../storage/segment-reader.ts'
import type { Clock } from '../core/clock.ts'
import { buildGenesis } from '../core/genesis-chain.ts'
import { MIRRORED_POOL, PoolMirror } from '../following/pool-mirror.ts'
import { ReaderChain } from '../following/reader-chain.ts'
import type { ReaderHandover, ReaderLink } from '../following/reader-link.ts'
import type { SenderRecovery } from '../intake/sender-recovery.ts'
import { finalityOf } from '../machine/finality.ts'
import { notedFinalized } from '../store/stored-finality.ts'
import { CurrentView } from '../view/current-view.ts'
import type { ReaderHandle } from './node-handle.ts'
import { ReaderNode } from './reader-node.ts'

/** Fits the upper levels of the tries; each reader has its own cache. */
const TRIE_CACHE_BYTES = 16 * 2 ** 20
/** Bytes of decoded blocks and of receipts, and twice as much of logs. */
const DECODED_CACHE_BYTES = 4 * 2 ** 20

export interface ReaderSettings {
  readonly genesis: Genesis
  readonly handover: ReaderHandover
}

export interface ReaderDeps {
  readonly link: ReaderLink
  /** The pool and dropped transactions, as of `handover.poolSequence`. */
  readonly pooled: readonly PoolChange[]
  readonly clock: Clock
  readonly log: Logger
  readonly senders: SenderRecovery
  /** Whether the writer process builds blocks on demand. Default: never. */
  readonly isOnDemand?: () => boolean
}

export interface OpenedReader {
  readonly node: ReaderHandle
  /** Applies records received from the writer process. */
  readonly chain: ReaderChain
}

/**
 * Opens the store that another process of this machine writes, and applies the records of its files above the store.
 * There may be no head before a later record arrives.
 *
 * @throws StorageError when the store is missing or of another chain; errors of `ReaderChain.apply`
 */
export async function openReader(settings: ReaderSettings, deps: ReaderDeps): Promise<OpenedReader> {
  const { genesis, handover } = settings
  const { clock, log, link, senders, pooled, isOnDemand = () => false } = deps
  const { config } = genesis
  const { directory, from, to, poolSequence } = handover
  const identity = { chainId: config.chainId, genesisHash: buildGenesis(genesis).block.hash }
  const store = await openChainDatabase({ path: directory, identity, readOnly: true })
  const pool = new Pool(MIRRORED_POOL, { now: () => clock.monotonic() })
  const current = new CurrentView({ config }, { pool, log })
  current.keepFinalized(notedFinalized(store))
  const mirror = new PoolMirror(current)
  const changes = poolChangesOf(pooled)
  mirror.begin(changes.pooled, changes.dropped, poolSequence)
  const chain = new ReaderChain(
    { finality: finalityOf(handover.settings.finalityDepth, config), from, poolSequence },
    {
      // The writer process decides which state is retained.
      chain: new ChainStore({ history: 'all', cacheBytes: DECODED_CACHE_BYTES }, { store }),
      cache: new TrieNodeCache({ bytes: TRIE_CACHE_BYTES }),
      current,
      pool: mirror,
    },
  )
  const files = openSegmentReader({ directory: join(directory, RECORDS_DIRECTORY) }, { fileSystem: disk })
  chain.apply([...files.read(from, to)])
  const close = async () => {
    current.releaseHead()
    await store.close()
  }
  const engine = createEngine({ config })
  const { settings: followed } = handover
  const node = new ReaderNode({
    config,
    engine,
    current,
    damage: store.damage,
    settings: followed,
    directory,
    chain,
    link,
    senders,
    clock,
    isOnDemand,
    close,
  })
  return { node, chain }
}
