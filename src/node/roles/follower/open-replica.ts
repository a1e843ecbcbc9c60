import type { Logger } from 'pino'
import type { Genesis } from '../../../chain/genesis/genesis.ts'
import { createEngine } from '../../../engine/create-engine.ts'
import { Pool } from '../../../pool/pool.ts'
import { ChainStore } from '../../../state/chain-store/chain-store.ts'
import type { ChainIdentity } from '../../../state/chain-store/open-chain-database.ts'
import { isTakeoverUnfinished } from '../../../state/chain-store/transfer/chain-takeover.ts'
import { TrieNodeCache } from '../../../state/trie/node-cache.ts'
import { createStateTrie } from '../../../state/trie/state-trie.ts'
import { BlockWriter } from '../../core/block-writer.ts'
import { ChainWriter } from '../../core/chain-writer.ts'
import type { Clock } from '../../core/clock.ts'
import { CurrentView } from '../../core/current-view.ts'
import { type DataDirectory, openDataDirectory } from '../../core/data-directory.ts'
import { diskBytes } from '../../core/disk-bytes.ts'
import { buildGenesis, type GenesisBlock } from '../../core/genesis-chain.ts'
import type { WorkMeter } from '../../core/work-meter.ts'
import { recoverHere, type SenderRecovery } from '../../intake/sender-recovery.ts'
import { RecordLog } from '../../log/record-log.ts'
import type { RecordSource, StreamSettings } from '../../log/record-source.ts'
import { MIRRORED_POOL } from '../../replay/pool-mirror.ts'
import { RecordStream } from '../../streaming/record-stream.ts'
import { Following } from './following.ts'
import { Replica } from './replica.ts'
import { readSettings, storeSettings } from './stored-settings.ts'

const TRIE_CACHE_BYTES = 48 * 2 ** 20
/** Blocks, and receipts, as objects; they take several times their encoded size. */
const DECODED_CACHE_BYTES = 4 * 2 ** 20

export interface ReplicaSettings {
  readonly genesis: Genesis
  /** Where the chain is kept; `undefined`: a temporary directory, deleted at the end. */
  readonly directory: string | undefined
  /** Blocks below the newest whose state stays readable. */
  readonly history: number | 'all'
  /** Blocks whose records are kept. */
  readonly replayBlocks: number
  /** Bytes of the newest records that are kept at least. */
  readonly replayBytes: number
  /** Sealed blocks that may wait for the store. */
  readonly maxBlocksBehind: number
}

export interface ReplicaEnvironment {
  readonly source: RecordSource
  readonly clock: Clock
  readonly log: Logger
  readonly yieldTurn?: () => Promise<void>
  readonly meter?: WorkMeter
  /** On the thread that asks, by default. */
  readonly senders?: SenderRecovery
  /** Gives up waiting for the first head. */
  readonly signal?: AbortSignal
}

/**
 * Opens a data directory and follows a source, from nothing if need be. Settles when there is a head to answer from: at
 * once where the directory has one, otherwise when the source has given it.
 *
 * @throws StorageError when the directory cannot be used; RecoveryError when its records contradict each other; SourceError
 *   when the source is another chain or another history; the reason of `signal`
 */
export async function openReplica(settings: ReplicaSettings, environment: ReplicaEnvironment): Promise<Replica> {
  const genesis = buildGenesis(settings.genesis)
  const identity: ChainIdentity = { chainId: settings.genesis.config.chainId, genesisHash: genesis.block.hash }
  const directory = await openDataDirectory({ path: settings.directory, identity })
  try {
    return await run(settings, environment, { genesis, identity, directory })
  } catch (error) {
    await directory.close()
    throw error
  }
}

async function run(
  settings: ReplicaSettings,
  environment: ReplicaEnvironment,
  found: { readonly genesis: GenesisBlock; readonly identity: ChainIdentity; readonly directory: DataDirectory },
): Promise<Replica> {
  const { clock, log, source, yieldTurn = () => Promise.resolve(), meter } = environment
  const { genesis, identity, directory } = found
  const { store } = directory
  const { config } = settings.genesis
  const chain = new ChainStore({ history: settings.history, cacheBytes: DECODED_CACHE_BYTES }, { store, yieldTurn })
  const records = new RecordLog(settings, { log: directory.log })
  const cache = new TrieNodeCache({ bytes: TRIE_CACHE_BYTES })
  const pool = new Pool(MIRRORED_POOL, { now: () => clock.monotonic() })
  const current = new CurrentView({ config }, { pool, log })
  let streamSettings = readSettings(store)
  const known = (): StreamSettings => {
    if (streamSettings === undefined) throw new Error('no node was followed yet')
    return streamSettings
  }
  const chainWriter = new ChainWriter(settings, {
    chain,
    records,
    trie: createStateTrie(),
    onStored: (snapshot, trie) => following.chain.rebase(snapshot, trie),
    now: () => clock.monotonic(),
    yieldTurn,
    meter,
  })
  const fail = (error: unknown) => current.fail(error)
  const writer = new BlockWriter(
    { maxBehind: settings.maxBlocksBehind },
    { write: (block) => chainWriter.write(block), onFailure: fail },
  )
  const isUnfinished = isTakeoverUnfinished(store)
  const hasChain = !isUnfinished && chain.newest() !== undefined
  let failFirst: (error: unknown) => void = () => undefined
  const following = new Following(
    { genesis, identity },
    {
      store,
      chain,
      cache,
      records,
      writer,
      chainWriter,
      current,
      source,
      clock,
      log,
      finalityDepth: () => known().finalityDepth,
      onSettings: async (received) => {
        streamSettings = received
        await storeSettings(store, received)
        if (hasChain && !following.isBegun) await following.resume()
      },
      onFailure: (error) => {
        if (current.isShown) fail(error)
        else failFirst(error)
      },
    },
  )
  const { follower } = following
  const stream = new RecordStream(identity, {
    settings: known,
    records,
    chain,
    view: () => current.view(),
    // What it shows is durable here.
    poolAsOf: () => ({ waiting: current.waiting(), dropped: current.dropped() }),
    submit: (raw, from) => replica.submit(raw, from),
    isTakingOver: () => following.isTakingOver,
  })
  const replica = new Replica(
    { config },
    {
      engine: createEngine({ config }),
      current,
      chain: following.chain,
      follower,
      records: stream,
      senders: environment.senders ?? recoverHere,
      clock,
      settings: known,
      source: (stored) => ({ directory: directory.path, from: records.firstAbove(stored) }),
      diskBytes: () => diskBytes(directory.path),
      idle: () => writer.idle(),
      stop: async () => {
        await follower.stop()
        await writer.idle()
        current.releaseHead()
        await directory.close()
      },
    },
  )
  if (hasChain && streamSettings !== undefined) await following.resume()
  const firstHead = new Promise<void>((resolve, reject) => {
    failFirst = reject
    if (current.isShown) resolve()
    else replica.events.once('flashblock', () => resolve())
  })
  follower.start({ anew: isUnfinished })
  const giveUp = () => failFirst(environment.signal?.reason)
  environment.signal?.addEventListener('abort', giveUp)
  if (environment.signal?.aborted === true) giveUp()
  try {
    await firstHead
  } catch (error) {
    await follower.stop()
    await writer.idle()
    current.releaseHead()
    throw error
  } finally {
    environment.signal?.removeEventListener('abort', giveUp)
  }
  return replica
}
