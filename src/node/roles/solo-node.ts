import type { PoolTransaction } from '../../chain/transaction/transaction.ts'
import { ForkError } from '../../fork/source/fork-error.ts'
import type { Address, Bytes } from '../../primitives/hex.ts'
import type { Snapshot } from '../../state/snapshot.ts'
import type { StateDiff } from '../../state/state-diff.ts'
import type { StateTrie } from '../../state/trie/state-trie.ts'
import { unlessAborted } from '../core/deadline.ts'
import { storeGenesis } from '../core/genesis-chain.ts'
import type { SetHeadResult, SubmitResult } from '../core/results.ts'
import type { Development } from '../development/development.ts'
import {
  initialTime,
  type RecoveredEnd,
  recoveredTime,
  type StoredTime,
  storedTime,
  TimeStore,
  WALL_CLOCK,
} from '../development/stored-time.ts'
import { forkAlterations } from '../forking/fork-base.ts'
import type { RecordedPool } from '../intake/unacknowledged-pool.ts'
import { joinReplicatedLog } from '../log/join-replicated-log.ts'
import type { LeaderReply, LeaderRequest, StreamSettings } from '../log/record-source.ts'
import type { PublishingCondition, ReplicatedLog } from '../log/replicated-log.ts'
import { type ChainState, chainState, isComplete, sealedPart } from '../machine/chain-state.ts'
import type { Forking } from '../production/leader-snapshots.ts'
import type { FlashblockCounts } from '../view/events.ts'
import type { RemovedTransaction } from '../view/pool-reconciler.ts'
import { Leader } from './leader.ts'
import { NodeCore, type OpenedChain } from './node-core.ts'
import type { SoloHandle } from './node-handle.ts'
import { type NodeDeps, type NodeSettings, streamSettingsOf } from './node-settings.ts'
import { OwningNode } from './owning-node.ts'
import { type RecoveredChain, recordsForStart, recoverStored } from './recover-stored.ts'
import type { SoloRole } from './role.ts'

/** Recovers the chain and builds blocks on it. */
export async function startSolo(
  settings: NodeSettings,
  role: SoloRole,
  deps: NodeDeps & OpenedChain,
): Promise<SoloHandle> {
  const { identity, directory, chain, genesis, signal, fork } = deps
  const description = { ...identity, settings: streamSettingsOf(role.leading, settings.genesis.config) }
  const replicated = await role.replicatedLog?.open(description, signal)
  try {
    await replicated?.describe(signal)
    const isNew = chain.newest() === undefined
    if (isNew && fork !== undefined) await chain.beginOn(genesis.block, fork.below)
    else if (isNew) await storeGenesis(chain, genesis)
    const joined = replicated && joinReplicatedLog(directory.log, replicated, chain.newest()!.number)
    const publisher = joined && (await unlessAborted(joined, signal))
    const core = new NodeCore(settings, { mayLead: true, publisher }, deps)
    const alterations = fork && (await forkAlterations(settings.genesis, fork))
    if (alterations !== undefined && core.records.lastSequence === 0) {
      const { number } = genesis.block.header
      core.records.append({ kind: 'alter', number, hash: genesis.block.hash, diff: alterations })
      await core.records.syncHere()
    }
    const { forkedGenesis: genesisOn } = deps
    const isMovable = fork !== undefined && genesisOn !== undefined && settings.directory === undefined
    const forking = isMovable ? { fork, genesisOn, config: settings.genesis.config } : undefined
    const start = await recoverStart(role, core, fork)
    const node = new SoloNode(start, role, { core, replicated, fork, alterations, forking })
    await node.start(start)
    return node
  } catch (error) {
    await replicated?.close()
    throw error
  }
}

/** The chain, its time and the pool that a start recovers. */
interface Start extends Pick<RecoveredChain, 'pooled' | 'dropped'> {
  readonly state: ChainState
  readonly time: StoredTime
  readonly timeStore: TimeStore
  /** Chain time that the flags or the fork determine. */
  readonly timestamp: bigint | undefined
}

async function recoverStart(
  { leading, development }: SoloRole,
  core: NodeCore,
  fork: NodeDeps['fork'],
): Promise<Start> {
  const recover = () => recoverStored(core, leading.finalityDepth)
  const recorded = () => recordsForStart(core)
  const restored = await (core.loads?.recovered(recover, recorded) ?? recover())
  const { base, baseTrie, pooled, dropped, recovered } = restored
  const { recent, open: pending, altered, partials, sequence } = recovered
  const state = chainState({ sequence, base, baseTrie, recent, pending, altered, partials }, { isOwn: true })
  const { store } = core.directory
  const stored = storedTime(store)
  const timeStore = new TimeStore(stored ?? WALL_CLOCK, { store })
  const wallMs = core.clock.wall()
  const timestamp = development?.timestamp ?? fork?.reading.header.timestamp
  const end = endOf({ ...state, isSealed: isComplete(state) })
  const time = stored ? recoveredTime(stored, end, wallMs) : initialTime(timestamp, wallMs)
  await timeStore.keep(time)
  return { state, time, timeStore, timestamp, pooled, dropped }
}

interface SoloNodeDeps {
  readonly fork: NodeDeps['fork']
  /** State changes that follow the fork block. */
  readonly alterations: StateDiff | undefined
  /** Absent: the chain stays on its fork block. */
  readonly forking: Forking | undefined
  readonly core: NodeCore
  readonly replicated: ReplicatedLog | undefined
}

/** A node that always leads. */
class SoloNode extends OwningNode implements SoloHandle {
  readonly role = 'solo'
  readonly fork: NodeDeps['fork']
  readonly forecast: SoloHandle['forecast']
  readonly isReplacing = false
  readonly #settings: StreamSettings
  readonly #role: SoloRole
  readonly #deps: SoloNodeDeps
  readonly #leader: Leader
  readonly development: Development | undefined
  #isStopping = false
  #endSubmissions: () => void = () => undefined
  #endRequests: () => void = () => undefined

  constructor({ state, time, timeStore, timestamp }: Start, role: SoloRole, deps: SoloNodeDeps) {
    super(deps.core)
    const { core, fork, alterations, forking } = deps
    const { leading, development } = role
    this.fork = fork
    this.#settings = streamSettingsOf(leading, core.config)
    this.#role = role
    this.#deps = deps
    const onFailure = (error: unknown) => {
      // Work that waits for the upstream is ended by `stop`.
      if (!(this.#isStopping && error instanceof ForkError)) core.fail(error)
    }
    const leader = new Leader(
      { state },
      { ...leading, mining: development?.mining ?? leading.mining, time },
      { core, journal: core.records, timeStore, onFailure },
    )
    this.#leader = leader
    const isForecast = development !== undefined || leading.mining?.kind === 'on-demand'
    this.forecast = isForecast ? (view) => leader.forecast(view) : undefined
    const chainStart = { alterations, replayed: fork?.replayed }
    this.development = development && leader.development({ ...development, timestamp }, { chainStart, forking })
  }

  get isOnDemand(): boolean {
    return this.#leader.isOnDemand
  }

  get counts(): FlashblockCounts {
    return this.#leader.sequencing.counts
  }

  get publishing(): PublishingCondition | undefined {
    return this.#deps.core.records.publishing
  }

  /** Builds blocks on the recovered chain. Resolves when a block is open. */
  async start({ pooled, dropped }: Pick<Start, 'pooled' | 'dropped'>): Promise<void> {
    const { core, replicated } = this.#deps
    const { pool, current } = core
    const { leading } = this.#role
    const { sequencing } = this.#leader
    core.setOwner(this)
    await sequencing.begin()
    // Acknowledged transactions stay in the pool, even if their senders can no longer pay or are delegated now, and
    // even if an unwinding has put more of them behind a nonce gap than may be sent. Other limits still apply: one that
    // was lowered drops transactions.
    pool.use({ ...leading.pool, judgesSenders: false, maxQueuedPerSender: Number.POSITIVE_INFINITY })
    current.pool.announceDropped(current.pool.restore(pooled, dropped))
    pool.use(leading.pool)
    sequencing.storeRecent()
    await sequencing.settleRecovered()
    await this.#replay()
    this.#endSubmissions = replicated?.takeSubmissions((raw) => this.submit(raw)) ?? (() => undefined)
  }

  /** A new chain begins with the transactions that the fork names. */
  async #replay(): Promise<void> {
    const { core, fork } = this.#deps
    if (fork?.replayed === undefined || core.current.head.sealed.latest !== fork.point.number) return
    const refused = await this.#leader.replay(fork.replayed)
    if (refused === undefined) return
    const { hash, error } = refused
    if (error instanceof ForkError) throw error
    throw new ForkError(
      'FORK_DATA_UNKNOWN',
      `the transaction ${hash} cannot be executed as on the forked chain (${error.code}): begin on a block instead, with --fork-block-number`,
    )
  }

  submit(raw: Bytes, from?: Address): Promise<SubmitResult> {
    return this.#leader.submit(raw, from)
  }

  protected settings(): StreamSettings {
    return this.#settings
  }

  protected answerRequests(answer: (request: LeaderRequest) => Promise<LeaderReply>): void {
    this.#endRequests()
    this.#endRequests = this.#deps.replicated?.takeRequests(answer) ?? (() => undefined)
  }

  protected unwindTo(number: number): Promise<SetHeadResult> {
    return this.#leader.sequencing.setHead(number)
  }

  protected override poolAsOf(sequence: number): RecordedPool {
    return this.#leader.poolAsOf(sequence)
  }

  waiting(): readonly PoolTransaction[] {
    return this.#leader.waiting()
  }

  onDropped(left: readonly RemovedTransaction[]): void {
    this.#leader.journalDropped(left)
  }

  rebase(base: Snapshot, baseTrie: StateTrie): void {
    this.#leader.sequencing.rebase(base, baseTrie)
  }

  halt(): void {
    this.#leader.halt()
  }

  async idle(): Promise<void> {
    await this.#leader.sequencing.idle()
    await this.#deps.core.writer.idle()
  }

  async stop(): Promise<void> {
    const { core, replicated, fork } = this.#deps
    this.#isStopping = true
    this.#endSubmissions()
    this.#endRequests()
    this.#leader.halt()
    core.loads?.stop()
    fork?.disconnect()
    // While the replicated log is unreachable, a flush would never complete. The next start publishes the records.
    if ((this.publishing?.stalledForMs ?? 0) === 0) {
      await this.#leader.stop()
      await core.stopWriting()
    }
    await core.tries?.close()
    core.current.releaseHead()
    await replicated?.close()
    await core.directory.close()
    await fork?.close()
  }
}

function endOf(state: Pick<ChainState, 'content' | 'isSealed'>): RecoveredEnd {
  const { blocks, altered } = sealedPart(state)
  const newest = blocks.at(-1)?.block.header ?? { number: state.content.base.number }
  return { newest, isAltered: altered !== undefined }
}
