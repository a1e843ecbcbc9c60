import { randomBytes } from 'node:crypto'
import { createEngine } from '../../../engine/create-engine.ts'
import { Pool } from '../../../pool/pool.ts'
import { ChainStore } from '../../../state/chain-store/chain-store.ts'
import type { ChainIdentity } from '../../../state/chain-store/open-chain-database.ts'
import { isTakeoverUnfinished } from '../../../state/chain-store/transfer/chain-takeover.ts'
import { TrieNodeCache } from '../../../state/trie/node-cache.ts'
import { createStateTrie } from '../../../state/trie/state-trie.ts'
import { BlockWriter } from '../../core/block-writer.ts'
import { backgroundTurns, ChainWriter } from '../../core/chain-writer.ts'
import { CurrentView } from '../../core/current-view.ts'
import { type DataDirectory, openDataDirectory } from '../../core/data-directory.ts'
import { diskBytes } from '../../core/disk-bytes.ts'
import { buildGenesis, type GenesisBlock, storeGenesis } from '../../core/genesis-chain.ts'
import { type NodeEnvironment, type NodeSettings, streamSettingsOf } from '../../core/open-node.ts'
import { unlessAborted } from '../../core/unless-aborted.ts'
import { recoverHere } from '../../intake/sender-recovery.ts'
import { RecordLog } from '../../log/record-log.ts'
import type { RecordSource, StreamSettings } from '../../log/record-source.ts'
import { type ReplicatedLog, type ReplicatedLogBackend, ReplicatedLogError } from '../../log/replicated-log.ts'
import { trimToReplicatedLog } from '../../log/trim-to-replicated-log.ts'
import { MIRRORED_POOL } from '../../replay/pool-mirror.ts'
import type { Epoch } from '../../replay/recovery.ts'
import { RecordStream } from '../../streaming/record-stream.ts'
import { openRemoteTries } from '../../tries/remote-tries.ts'
import { Following } from '../follower/following.ts'
import { Replica } from '../follower/replica.ts'
import { Candidate } from './candidate.ts'
import { Failover } from './failover.ts'
import { Leadership } from './leadership.ts'
import type { Lease } from './lease.ts'
import { LeaseKeeper, type LeaseKeeperOptions } from './lease-keeper.ts'
import { beginEpoch } from './take-over.ts'

const TRIE_CACHE_BYTES = 48 * 2 ** 20
/** Blocks, receipts, and twice as much of logs, as objects; they take several times their encoded size. */
const DECODED_CACHE_BYTES = 4 * 2 ** 20
/** Records that a standby may lack when it tries for the lease: it applies them before its epoch. */
const MAX_RECORDS_BEHIND = 5_000
/** Milliseconds between attempts to reach the end of the shared log. */
const TAKE_OVER_RETRY = 50

/** A node whose chain stands still until somebody asks for a block would not notice that another one leads. */
export interface CandidateSettings extends Omit<NodeSettings, 'sequencing'> {
  /** How the node calls itself in records and in the lease. */
  readonly name: string
  readonly lease: LeaseKeeperOptions
  /** Milliseconds that a transaction may wait for a node that makes blocks. */
  readonly submitLimit: number
}

export interface CandidateEnvironment extends Omit<NodeEnvironment, 'replicatedLog'> {
  readonly replicatedLog: ReplicatedLogBackend
  /** Gives the records of the shared log, as to a replica. */
  readonly source: RecordSource
  readonly lease: Lease
  /** Gives up waiting for the shared log, and for the first head. */
  readonly signal?: AbortSignal
}

/**
 * Opens a data directory as one of several nodes that may make the blocks: it follows whoever does, and takes over when that
 * one's lease ends. Settles when there is a head to answer from.
 *
 * @throws StorageError, RecoveryError, ReplicatedLogError, SourceError as `openNode` and `openReplica` do; the reason of `signal`
 */
export async function openCandidate(
  settings: CandidateSettings,
  environment: CandidateEnvironment,
): Promise<Candidate> {
  const genesis = buildGenesis(settings.genesis)
  const identity = { chainId: settings.genesis.config.chainId, genesisHash: genesis.block.hash }
  const openDirectory = environment.openDirectory ?? openDataDirectory
  const directory = await openDirectory({ path: settings.directory, identity })
  let shared: ReplicatedLog | undefined
  try {
    const description = { ...identity, settings: streamSettingsOf(settings) }
    shared = await environment.replicatedLog.open(description, environment.signal)
    return await run(settings, environment, { genesis, identity, directory, shared })
  } catch (error) {
    await shared?.close()
    await environment.lease.close()
    await directory.close()
    throw error
  }
}

async function run(
  settings: CandidateSettings,
  environment: CandidateEnvironment,
  opened: {
    readonly genesis: GenesisBlock
    readonly identity: ChainIdentity
    readonly directory: DataDirectory
    readonly shared: ReplicatedLog
  },
): Promise<Candidate> {
  const { genesis, identity, directory, shared } = opened
  const { clock, log, source, lease, meter, signal, yieldTurn = () => Promise.resolve() } = environment
  const { senders = recoverHere } = environment
  const { config } = settings.genesis
  const { store } = directory
  const { blockTime, slots } = settings.schedule
  const { gasLimit, finalityDepth } = settings
  const options = { config, blockTimeMs: blockTime, slots, gasLimit, finalityDepth }
  const backgroundTurn = backgroundTurns(yieldTurn, () => clock.monotonic())
  const chain = new ChainStore(
    { history: settings.history, cacheBytes: DECODED_CACHE_BYTES },
    { store, yieldTurn: backgroundTurn },
  )
  const isUnfinished = isTakeoverUnfinished(store)
  if (!isUnfinished && chain.newest() === undefined) await storeGenesis(chain, genesis)
  if (!isUnfinished) {
    await unlessAborted(trimToReplicatedLog(directory.log, shared, chain.newest()!.number), signal)
  }

  const records = new RecordLog({ ...settings, replayBytes: settings.replayBytes ?? 0 }, { log: directory.log })
  const cache = new TrieNodeCache({ bytes: TRIE_CACHE_BYTES })
  const pool = new Pool(MIRRORED_POOL, { now: () => clock.monotonic() })
  let leadership: Leadership | undefined
  let isStopping = false
  const tries = openRemoteTries(environment, { directory: directory.path, identity })
  const current = new CurrentView(
    { config },
    { pool, log, tries, onDropped: (dropped) => leadership?.journalDropped(dropped) },
  )
  const chainWriter = new ChainWriter(settings, {
    chain,
    records,
    trie: createStateTrie(),
    waiting: () => leadership?.waiting(),
    onStored: (snapshot, trie) => (leadership ?? following.chain).rebase(snapshot, trie),
    now: () => clock.monotonic(),
    yieldTurn: backgroundTurn,
    tries,
    meter,
  })
  const writer = new BlockWriter(
    { maxBehind: settings.maxBlocksBehind },
    { write: (block) => chainWriter.write(block), onFailure: fail },
  )
  let epoch: Epoch | undefined
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
      finalityDepth: () => finalityDepth,
      onSettings: async (others) => warnOfOthers(others),
      onEpoch: (begun) => {
        epoch = begun
        log.info({ leader: begun.leader, sequence: begun.sequence }, 'another node makes the blocks from here on')
        candidate.roleChanged()
      },
      onFailure: (error) => (current.isShown ? fail(error) : failFirst(error)),
    },
  )
  if (shared.settingsBefore !== undefined) warnOfOthers(shared.settingsBefore)
  const engine = createEngine({ config })
  const stream = new RecordStream(identity, {
    settings: () => streamSettingsOf(settings),
    records,
    chain,
    view: () => current.view(),
    poolAsOf: (sequence) =>
      leadership?.node.poolAsOf(sequence) ?? { waiting: current.waiting(), dropped: current.dropped() },
    submit: (raw, from) => candidate.submit(raw, from),
    isTakingOver: () => following.isTakingOver,
  })
  const operation = {
    records: stream,
    source: (stored: number) => ({ directory: directory.path, from: records.firstAbove(stored) }),
    diskBytes: () => diskBytes(directory.path),
  }
  const standby = new Replica(
    { config },
    {
      engine,
      current,
      chain: following.chain,
      follower: following.follower,
      senders,
      clock,
      ...operation,
      settings: () => streamSettingsOf(settings),
      idle: () => writer.idle(),
      stop: () => following.follower.stop(),
    },
  )
  const counts = { takeOvers: 0, standDowns: 0, missedSlots: 0 }
  let endSubmissions = () => {}
  let describing = new AbortController()
  const failover = new Failover({
    takeOver,
    standDown,
    abandon: () => records.abandonPublishing(),
    releaseLease: () => keeper.release(),
    onChange: () => candidate.roleChanged(),
    onFailure: fail,
    log,
  })
  const keeper = new LeaseKeeper(settings.lease, {
    lease,
    clock,
    log,
    isWanted: () => failover.role === 'standby' && couldLead(),
    onChange: (isHeld) => failover.tell(isHeld ? 'lease-taken' : 'lease-lost'),
  })
  const candidate = new Candidate(
    { ...options, name: settings.name, submitLimit: settings.submitLimit },
    {
      engine,
      current,
      clock,
      senders,
      ...operation,
      status: () => ({ role: failover.role, epoch, leaseHolder: lease.holder, ...counts }),
      asked: () => {
        if (failover.role === 'leader') return leadership
        return failover.role === 'standby' ? standby : undefined
      },
      missedSlots: () => counts.missedSlots + (leadership?.sequencing.counts.missedSlots ?? 0),
      following: () => standby.following,
      publishing: () => records.publishing,
      idle: async () => {
        await leadership?.sequencing.idle()
        await writer.idle()
      },
      stop,
    },
  )
  if (!isUnfinished) epoch = (await following.resume()).epoch
  const firstHead = new Promise<void>((resolve, reject) => {
    failFirst = reject
    if (current.isShown) resolve()
    else candidate.events.once('flashblock', () => resolve())
  })
  following.follower.start({ anew: isUnfinished })
  keeper.start()
  const giveUp = () => failFirst(signal?.reason)
  signal?.addEventListener('abort', giveUp)
  if (signal?.aborted === true) giveUp()
  try {
    await firstHead
  } catch (error) {
    await end()
    throw error
  } finally {
    signal?.removeEventListener('abort', giveUp)
  }
  return candidate

  function couldLead(): boolean {
    // Whoever lost its connection is as good as whoever has to be asked for the lease: both read the end of the log first.
    const { connections, isAhead, newestSequence } = following.follower.status
    const isWhole = following.isBegun && !following.isTakingOver
    // Of a log that lost its end nothing comes until somebody leads who has it.
    const isCurrent = isAhead || (connections > 0 && newestSequence - records.lastSequence <= MAX_RECORDS_BEHIND)
    return isWhole && isCurrent
  }

  async function takeOver(): Promise<void> {
    const begun = clock.monotonic()
    await following.follower.stop()
    // It may have begun while the lease was asked for.
    if (following.isTakingOver) throw new ReplicatedLogError('ABANDONED', 'this node takes over a snapshot itself')
    const sequence = await beginEpoch({
      shared,
      records,
      chain: following.chain,
      leader: settings.name,
      randomBytes,
      isWanted: () => failover.hasLease && !isStopping,
      log,
      now: () => clock.monotonic(),
      pause: () => new Promise((resolve) => void clock.at(clock.monotonic() + TAKE_OVER_RETRY, resolve)),
    })
    epoch = { sequence, leader: settings.name }
    pool.use(settings.pool)
    const begins = new Leadership(
      following.chain.handOver(),
      {
        ...options,
        freshness: settings.lease.renewInterval,
        sequencing: { ...settings, config, coinbase: settings.genesis.header.miner },
      },
      {
        records,
        node: { engine, current, senders, yieldTurn },
        operation,
        sequencing: { chain, pool, current, writer, chainWriter, clock, log, yieldTurn, tries, meter },
        onFailure: failLeading,
      },
    )
    leadership = begins
    await begins.begin()
    // Everything that others were told is applied, whatever the giver of a snapshot had beyond that.
    following.mirror.applied(Number.POSITIVE_INFINITY)
    endSubmissions = shared.takeSubmissions((raw) => begins.submit(raw))
    describing = new AbortController()
    void describe(describing.signal)
    counts.takeOvers += 1
    // A role that changes is what operators look for in the log, at its usual level.
    log.warn(
      { sequence, milliseconds: Math.round(clock.monotonic() - begun) },
      'this node makes the blocks from here on',
    )
  }

  /** While the servers elect who may change it nobody waits for that. */
  async function describe(until: AbortSignal): Promise<void> {
    await shared.describe(until).catch((error: unknown) => {
      if (!until.aborted) log.warn({ err: error }, 'limits and settings of the stream are not those of this node')
    })
  }

  async function standDown(): Promise<void> {
    refuseSubmissions()
    describing.abort()
    const ended = leadership
    if (ended !== undefined) {
      counts.missedSlots += ended.sequencing.counts.missedSlots
      const waiting = await ended.end()
      leadership = undefined
      records.publishTo(undefined)
      pool.use(MIRRORED_POOL)
      following.chain.takeBack(ended.content)
      following.mirror.add(waiting)
      counts.standDowns += 1
    }
    following.follower.start({ anew: following.isTakingOver })
  }

  function refuseSubmissions(): void {
    endSubmissions()
    endSubmissions = () => {}
  }

  function failLeading(error: unknown): void {
    if (!(error instanceof ReplicatedLogError)) fail(error)
    else if (error.code === 'FENCED') failover.tell('fenced')
    else if (error.code === 'LOST') failover.tell('log-lost')
    // Of what was abandoned the reason is known.
    else if (error.code !== 'ABANDONED') fail(error)
  }

  function fail(error: unknown): void {
    leadership?.sequencing.halt()
    current.fail(error)
  }

  function warnOfOthers(others: StreamSettings): void {
    const own = streamSettingsOf(settings)
    const different = Object.entries(own).filter(([name, value]) => others[name as keyof StreamSettings] !== value)
    if (different.length === 0) return
    const names = different.map(([name]) => name).join(', ')
    log.warn(
      { others },
      `another node of this chain has, or this one had, other settings (${names}): start all with the same flags`,
    )
  }

  async function stop(): Promise<void> {
    await end()
    await directory.close()
  }

  /** Whoever waits for the lease has it at once. */
  async function end(): Promise<void> {
    isStopping = true
    await keeper.stop()
    await failover.stop()
    describing.abort()
    refuseSubmissions()
    leadership?.sequencing.halt()
    // What waits for a log that is away would never end; it was announced to nobody.
    if ((records.publishing?.stalledFor ?? 0) > 0) records.abandonPublishing()
    await leadership?.sequencing.stop()
    await following.follower.stop()
    await writer.idle()
    await tries?.close()
    await lease.release().catch((error: unknown) => log.warn({ err: error }, 'the lease ends by itself'))
    await lease.close()
    await shared.close()
    current.releaseHead()
  }
}
