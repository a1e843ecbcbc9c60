import type { Logger } from 'pino'
import type { Genesis } from '../../chain/genesis/genesis.ts'
import { createEngine } from '../../engine/create-engine.ts'
import type { PoolOptions } from '../../pool/options.ts'
import { Pool } from '../../pool/pool.ts'
import { ChainStore } from '../../state/chain-store/chain-store.ts'
import type { ChainIdentity } from '../../state/chain-store/open-chain-database.ts'
import { isTakeoverUnfinished, takenPool } from '../../state/chain-store/transfer/chain-takeover.ts'
import { TrieNodeCache } from '../../state/trie/node-cache.ts'
import { openStateTrie } from '../../state/trie/state-trie.ts'
import { withSnapshot } from '../../storage/key-value.ts'
import { StorageError } from '../../storage/storage-error.ts'
import { recoverHere, type SenderRecovery } from '../intake/sender-recovery.ts'
import { joinReplicatedLog } from '../log/join-replicated-log.ts'
import { RecordLog } from '../log/record-log.ts'
import type { StreamSettings } from '../log/record-source.ts'
import type { PublishingCondition, ReplicatedLog, ReplicatedLogBackend } from '../log/replicated-log.ts'
import { type Recovered, recover } from '../replay/recovery.ts'
import { alignStore } from '../replay/store-unwinding.ts'
import { withTakenPool } from '../roles/follower/chain-takeover.ts'
import type { Schedule } from '../roles/leader/schedule.ts'
import { Sequencing } from '../roles/leader/sequencing.ts'
import { RecordStream } from '../streaming/record-stream.ts'
import { openRemoteTries } from '../tries/remote-tries.ts'
import type { TrieThread, TrieThreadData } from '../tries/start-trie-thread.ts'
import { BlockWriter } from './block-writer.ts'
import { backgroundTurns, ChainWriter } from './chain-writer.ts'
import type { Clock } from './clock.ts'
import { CurrentView } from './current-view.ts'
import { type DataDirectory, openDataDirectory } from './data-directory.ts'
import { diskBytes } from './disk-bytes.ts'
import { buildGenesis, type GenesisBlock, storeGenesis } from './genesis-chain.ts'
import { Node } from './node.ts'
import { unlessAborted } from './unless-aborted.ts'
import type { WorkMeter } from './work-meter.ts'

/** Upper levels of a state of millions of accounts, and what blocks touched lately. */
const TRIE_CACHE_BYTES = 48 * 2 ** 20
/** Blocks, receipts, and twice as much of logs, as objects; they take several times their encoded size. */
const DECODED_CACHE_BYTES = 4 * 2 ** 20

export interface NodeSettings {
  readonly genesis: Genesis
  /** Where the chain is kept; `undefined`: a temporary directory, deleted at the end. */
  readonly directory: string | undefined
  readonly schedule: Schedule
  /** Gas of each block; on layer 1 what it moves towards. */
  readonly gasLimit: bigint
  /** `false`: the chain stands still, and what is sent waits in the pool. Default true. */
  readonly sequencing?: boolean
  /** Share of a flashblock interval that executing may take, 0 to 1. */
  readonly timeBudget: number
  /** Blocks between latest and finalized. */
  readonly finalityDepth: number
  /** Blocks below the newest whose state stays readable. */
  readonly history: number | 'all'
  /** Blocks whose records are kept. */
  readonly replayBlocks: number
  /** Bytes of the newest records that are kept at least: 0. */
  readonly replayBytes?: number
  /** Sealed blocks that may wait for the store. */
  readonly maxBlocksBehind: number
  readonly pool: PoolOptions
}

export interface NodeEnvironment {
  readonly clock: Clock
  readonly log: Logger
  readonly yieldTurn?: () => Promise<void>
  readonly meter?: WorkMeter
  /** On the thread that asks, by default. */
  readonly senders?: SenderRecovery
  /** Starts another thread for the state trie; left out: the sequencer's applies diffs. */
  readonly startTrieThread?: ((data: TrieThreadData) => TrieThread) | undefined
  /** The disk; the real one by default. */
  readonly openDirectory?: typeof openDataDirectory
  /** Where records have to be besides, before anybody is told of them; nowhere by default. */
  readonly replicatedLog?: ReplicatedLogBackend | undefined
  /** Gives up waiting for the shared log. */
  readonly signal?: AbortSignal
}

/**
 * Opens a data directory, recovers what was announced, and goes on with the chain. The only place that knows all parts.
 *
 * @throws StorageError when the directory cannot be used; RecoveryError when its records contradict each other;
 *   ReplicatedLogError; the reason of `signal`
 */
export async function openNode(settings: NodeSettings, environment: NodeEnvironment): Promise<Node> {
  const { config } = settings.genesis
  const genesis = buildGenesis(settings.genesis)
  const identity = identityOf(genesis, config)
  const openDirectory = environment.openDirectory ?? openDataDirectory
  const directory = await openDirectory({ path: settings.directory, identity })
  let shared: ReplicatedLog | undefined
  try {
    shared = await environment.replicatedLog?.open(
      { ...identity, settings: streamSettingsOf(settings) },
      environment.signal,
    )
    await shared?.describe(environment.signal)
    return await run(settings, environment, { genesis, directory, shared })
  } catch (error) {
    await shared?.close()
    await directory.close()
    throw error
  }
}

async function run(
  settings: NodeSettings,
  environment: NodeEnvironment,
  opened: {
    readonly genesis: GenesisBlock
    readonly directory: DataDirectory
    readonly shared: ReplicatedLog | undefined
  },
): Promise<Node> {
  const { genesis, directory, shared } = opened
  const { clock, log, yieldTurn = () => Promise.resolve(), meter, senders, signal } = environment
  const backgroundTurn = backgroundTurns(yieldTurn, () => clock.monotonic())
  const { config } = settings.genesis
  const chain = new ChainStore(
    { history: settings.history, cacheBytes: DECODED_CACHE_BYTES },
    { store: directory.store, yieldTurn: backgroundTurn },
  )
  if (isTakeoverUnfinished(directory.store)) {
    const message = `${directory.path} is a replica that has not got its snapshot yet: go on with \`tickertape replica\`, or choose another data directory`
    throw new StorageError('PARTIAL_CHAIN', message, { path: directory.path })
  }
  if (chain.newest() === undefined) await storeGenesis(chain, genesis)
  const joined = shared && joinReplicatedLog(directory.log, shared, chain.newest()!.number)
  const publisher = joined && (await unlessAborted(joined, signal))
  const records = new RecordLog(
    { replayBlocks: settings.replayBlocks, replayBytes: settings.replayBytes ?? 0 },
    { log: directory.log, publisher },
  )
  const cache = new TrieNodeCache({ bytes: TRIE_CACHE_BYTES })
  // Read and decoded once: start-up is as quick as this is.
  const recorded = [...records.read({ stored: chain.newest()!.number })]
  await alignStore(chain, recorded, { cache, finalityDepth: settings.finalityDepth })
  const base = chain.snapshot()
  const { header, hash } = base.block(base.number)!
  const baseTrie = openStateTrie(header.stateRoot, base.trieNodes, cache)
  const recovered = recover({ number: base.number, hash, trie: baseTrie }, recorded)

  const pool = new Pool(settings.pool, { now: () => clock.monotonic() })
  const tries = openRemoteTries(environment, { directory: directory.path, identity: identityOf(genesis, config) })
  const current = new CurrentView(
    { config },
    { pool, log, tries, onDropped: (dropped) => node.journalDropped(dropped) },
  )
  const { blockTime, slots } = settings.schedule
  const { gasLimit, finalityDepth } = settings
  const recordStream = new RecordStream(identityOf(genesis, config), {
    settings: () => streamSettingsOf(settings),
    records,
    chain,
    view: () => node.view(),
    poolAsOf: (sequence) => node.poolAsOf(sequence),
    submit: (raw, from) => node.submit(raw, from),
  })
  const node = new Node(
    { config, blockTimeMs: blockTime, slots, gasLimit, finalityDepth },
    {
      engine: createEngine({ config }),
      current,
      journal: records,
      senders: senders ?? recoverHere,
      yieldTurn,
      operation: {
        counts: () => sequencing.counts,
        diskBytes: () => diskBytes(directory.path),
        setHead: (number) => sequencing.setHead(number),
        records: recordStream,
        source: (stored) => ({ directory: directory.path, from: records.firstAbove(stored) }),
        idle: async () => {
          await sequencing.idle()
          await writer.idle()
        },
        publishing: () => records.publishing,
        stop: async () => {
          sequencing.halt()
          // What waits for a log that is away would never end; it is published at the next start.
          if (!isStalled(records.publishing)) {
            await sequencing.stop()
            await writer.idle()
          }
          await tries?.close()
          current.releaseHead()
          await shared?.close()
          await directory.close()
        },
      },
    },
  )
  const chainWriter = new ChainWriter(
    { replayBlocks: settings.replayBlocks },
    {
      chain,
      records,
      trie: baseTrie,
      waiting: () => node.waiting(),
      onStored: (snapshot, trie) => sequencing.rebase(snapshot, trie),
      now: () => clock.monotonic(),
      yieldTurn: backgroundTurn,
      tries,
      meter,
    },
  )
  const writer = new BlockWriter(
    { maxBehind: settings.maxBlocksBehind },
    { write: (block) => chainWriter.write(block), onFailure: fail },
  )
  const { recent, open, partials, sequence } = sealComplete(recovered, settings.schedule, records)
  const sequencing = new Sequencing(
    { sequence, base, baseTrie, recent, partials, ...(open && { pending: open }) },
    { ...settings, config, coinbase: settings.genesis.header.miner },
    {
      chain,
      records,
      pool,
      current,
      writer,
      chainWriter,
      waiting: () => node.waiting(),
      clock,
      log,
      yieldTurn,
      tries,
      meter,
      onFailure: fail,
    },
  )
  await sequencing.begin()
  const { pooled, dropped } = withTakenPool(withSnapshot(directory.store, takenPool), recorded, recovered)
  // What was acknowledged waits as it did, though its sender may have less, or be delegated, since.
  pool.use({ ...settings.pool, judgesSenders: false })
  current.forget(current.restorePool(pooled, dropped))
  pool.use(settings.pool)
  sequencing.storeRecent()
  shared?.takeSubmissions((raw) => node.submit(raw))
  return node

  function fail(error: unknown): void {
    sequencing.halt()
    current.fail(error)
  }
}

/**
 * A block whose last flashblock is on disk without its seal was announced to nobody as sealed: it is sealed now, as it
 * is, and the next one opens.
 */
function sealComplete(recovered: Recovered, { slots }: Schedule, records: RecordLog): Recovered {
  const { open, recent } = recovered
  if (open === undefined || open.layers.at(-1)!.index < slots) return recovered
  const { header, hash } = open.block
  const sequence = records.append({ kind: 'seal', number: header.number, hash })
  return { ...recovered, recent: [...recent, open], open: undefined, sequence }
}

function isStalled(publishing: PublishingCondition | undefined): boolean {
  return publishing !== undefined && publishing.stalledFor > 0
}

/** What replicas and other nodes of the chain are told of these. */
export function streamSettingsOf({
  schedule,
  gasLimit,
  finalityDepth,
}: Omit<NodeSettings, 'sequencing'>): StreamSettings {
  const { blockTime, slots } = schedule
  return { blockTime, slots, gasLimit, finalityDepth }
}

function identityOf({ block }: GenesisBlock, { chainId }: Genesis['config']): ChainIdentity {
  return { chainId, genesisHash: block.hash }
}
