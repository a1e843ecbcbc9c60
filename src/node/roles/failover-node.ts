import { randomBytes } from 'node:crypto'
import { hasBlobs } from '../../chain/forks/chain-config.ts'
import type { PoolTransaction } from '../../chain/transaction/transaction.ts'
import type { Address, Bytes } from '../../primitives/hex.ts'
import type { Snapshot } from '../../state/snapshot.ts'
import type { StateTrie } from '../../state/trie/state-trie.ts'
import { unlessAborted } from '../core/deadline.ts'
import { storeGenesis } from '../core/genesis-chain.ts'
import type { SetHeadResult, SubmitResult } from '../core/results.ts'
import { MIRRORED_POOL } from '../following/pool-mirror.ts'
import { ReplicaError } from '../following/replica-error.ts'
import { assertSameBeginning, assertSameRules, warnOfOtherSettings } from '../following/source-rules.ts'
import type { RecordedPool } from '../intake/unacknowledged-pool.ts'
import type { StreamSettings } from '../log/record-source.ts'
import { type PublishingCondition, type ReplicatedLog, ReplicatedLogError } from '../log/replicated-log.ts'
import { trimToReplicatedLog } from '../log/trim-to-replicated-log.ts'
import type { Epoch } from '../machine/recovery.ts'
import { countFlashblocks, type FlashblockCounts } from '../view/events.ts'
import type { RemovedTransaction } from '../view/pool-reconciler.ts'
import { LeaseKeeper } from './failover/lease-keeper.ts'
import type { FailoverStatus } from './failover/next-role.ts'
import { peerHandlers } from './failover/peer-handlers.ts'
import { NO_PEERS, type Peers } from './failover/peers.ts'
import { ReroutedSubmissions } from './failover/rerouted-submissions.ts'
import { Supervisor } from './failover/supervisor.ts'
import { beginEpoch } from './failover/take-over.ts'
import { Follower } from './follower.ts'
import { Leadership } from './leadership.ts'
import { NodeCore, type OpenedChain, untilShown } from './node-core.ts'
import type { FailoverHandle, FollowingProgress } from './node-handle.ts'
import { type NodeDeps, type NodeSettings, streamSettingsOf } from './node-settings.ts'
import { OwningNode } from './owning-node.ts'
import { notLeading } from './replica-node.ts'
import type { FailoverRole } from './role.ts'

/** Milliseconds between attempts to read the end of the replicated log. */
const TAKE_OVER_RETRY_MS = 50

/**
 * Follows the leader, and takes over when its lease ends. Resolves when a head is available.
 *
 * A role with `sequencing: false` is rejected: a leader that builds no blocks would not notice that another one leads.
 */
export async function startFailover(
  settings: NodeSettings,
  role: FailoverRole,
  deps: NodeDeps & OpenedChain,
): Promise<FailoverHandle> {
  const { identity, directory, chain, genesis, signal } = deps
  let replicated: ReplicatedLog | undefined
  try {
    const description = { ...identity, settings: streamSettingsOf(role.leading, settings.genesis.config) }
    replicated = await role.replicatedLog.open(description, signal)
    const { settingsBefore: before } = replicated
    if (before !== undefined) assertSameBeginning(before, settings.genesis.config, genesis.block.header)
    if (chain.newest() === undefined) await storeGenesis(chain, genesis)
    await unlessAborted(trimToReplicatedLog(directory.log, replicated, chain.newest()!.number, deps), signal)
    const core = new NodeCore(settings, { mayLead: true }, deps)
    const node = new FailoverNode(role, core, replicated)
    core.setOwner(node)
    await node.start(signal)
    return node
  } catch (error) {
    await replicated?.close()
    await role.lease.close()
    throw error
  }
}

/** Leads while the node holds the lease and follows the leader otherwise, with the same directory, view and pool. */
class FailoverNode extends OwningNode implements FailoverHandle {
  readonly role = 'failover'
  readonly isOnDemand = false
  readonly #settings: StreamSettings
  readonly #role: FailoverRole
  readonly #peers: Peers
  readonly #replicated: ReplicatedLog
  readonly #follower: Follower
  readonly #supervisor: Supervisor
  readonly #keeper: LeaseKeeper
  readonly #submissions: ReroutedSubmissions
  readonly #flashblocks: () => number
  readonly #totals = { takeOvers: 0, standDowns: 0, missedSlots: 0 }
  #leadership: Leadership | undefined
  #epoch: Epoch | undefined
  /** Whether the pool has the recorded transactions since this node leads. */
  #isPoolFilled = false
  #isStopping = false
  #failStart: (error: unknown) => void = () => undefined
  #endSubmissions: () => void = () => undefined
  #describing = new AbortController()

  constructor(role: FailoverRole, core: NodeCore, replicated: ReplicatedLog) {
    super(core)
    this.#settings = streamSettingsOf(role.leading, core.config)
    this.#role = role
    this.#peers = role.peers ?? NO_PEERS
    this.#replicated = replicated
    this.#flashblocks = countFlashblocks(core.current.events)
    this.#follower = this.#createFollower()
    this.#supervisor = this.#createSupervisor()
    this.#keeper = this.#createKeeper()
    const { clock, senders, records, current } = core
    const submitting = { clock, senders, records, view: () => current.view(), target: () => this.#submitTarget() }
    const submitOptions = { hasBlobs: hasBlobs(core.config), timeoutMs: role.submitTimeoutMs }
    this.#submissions = new ReroutedSubmissions(submitOptions, submitting)
    if (replicated.settingsBefore !== undefined)
      warnOfOtherSettings(this.#settings, replicated.settingsBefore, core.log)
  }

  get counts(): FlashblockCounts {
    const missedSlots = this.#totals.missedSlots + (this.#leadership?.sequencing.counts.missedSlots ?? 0)
    return { flashblocks: this.#flashblocks(), missedSlots }
  }

  get publishing(): PublishingCondition | undefined {
    return this.core.records.publishing
  }

  get following(): FollowingProgress | undefined {
    return this.#leadership === undefined ? this.#follower.progress : undefined
  }

  get failover(): FailoverStatus {
    return {
      role: this.#supervisor.role,
      name: this.#role.name,
      epoch: this.#epoch,
      leaseHolder: this.#role.lease.holder,
      clockOffsetMs: this.#role.lease.clockOffsetMs,
      takeOvers: this.#totals.takeOvers,
      standDowns: this.#totals.standDowns,
    }
  }

  async start(signal: AbortSignal | undefined): Promise<void> {
    this.#epoch = (await this.#follower.resume()).epoch
    try {
      await this.#answerPeers()
      await untilShown(
        this.core.current,
        (fail) => {
          this.#failStart = fail
          this.#follower.start({ anew: false })
          this.#keeper.start()
        },
        signal,
      )
    } catch (error) {
      await this.#end()
      throw error
    }
  }

  submit(raw: Bytes, from?: Address): Promise<SubmitResult> {
    return this.#submissions.submit(raw, from)
  }

  protected settings(): StreamSettings {
    return this.#settings
  }

  protected async unwindTo(number: number): Promise<SetHeadResult> {
    if (this.#supervisor.role === 'standby') throw notLeading()
    if (this.#supervisor.role === 'leader' && this.#leadership !== undefined)
      return this.#leadership.sequencing.setHead(number)
    throw new ReplicaError('NOT_ON_REPLICA', 'no node builds blocks now: try again')
  }

  protected override poolAsOf(sequence: number): RecordedPool {
    return this.#leadership?.poolAsOf(sequence) ?? super.poolAsOf(sequence)
  }

  /** Followers read the replicated log, and the leader may be another node. */
  protected answerRequests(): void {}

  get isReplacing(): boolean {
    return this.#follower.isReplacing
  }

  waiting(): readonly PoolTransaction[] | undefined {
    // Before, a checkpoint would lack transactions and claim to be whole.
    return this.#isPoolFilled ? this.#leadership?.recordedPool() : undefined
  }

  onDropped(left: readonly RemovedTransaction[]): void {
    this.#leadership?.journalDropped(left)
  }

  rebase(base: Snapshot, baseTrie: StateTrie): void {
    const chain = this.#leadership?.sequencing ?? this.#follower.chain
    chain.rebase(base, baseTrie)
  }

  halt(): void {
    this.#leadership?.halt()
  }

  async idle(): Promise<void> {
    await this.#leadership?.sequencing.idle()
    await this.core.writer.idle()
  }

  async stop(): Promise<void> {
    await this.#end()
    await this.core.directory.close()
  }

  #createFollower(): Follower {
    const { log } = this.core
    return new Follower({
      core: this.core,
      source: this.#role.source,
      finalityDepth: () => this.#role.leading.finalityDepth,
      onSettings: async (others) => {
        assertSameRules(others, this.core.config, this.#follower.newest)
        warnOfOtherSettings(this.#settings, others, log)
      },
      onEpoch: (epoch) => {
        this.#epoch = epoch
        const { leader, sequence } = epoch
        log.info({ leader, sequence }, 'another node makes the blocks from here on')
        this.#submissions.roleChanged()
      },
      onFailure: (error) => this.#failAnytime(error),
    })
  }

  /** A start that fails throws the error, which the caller reports: the log would say the same again. */
  #failAnytime(error: unknown): void {
    if (this.core.current.isShown) this.core.fail(error)
    else this.#failStart(error)
  }

  #createSupervisor(): Supervisor {
    return new Supervisor({
      takeOver: () => this.#takeOver(),
      standDown: () => this.#standDown(),
      abandon: () => this.core.records.abandonPublishing(),
      releaseLease: () => this.#keeper.release(),
      onChange: () => {
        // A leader that hands over answers what it has accepted; other transactions wait for the next leader.
        if (this.#supervisor.role !== 'handing-over') this.#submissions.roleChanged()
      },
      onFailure: (error) => this.core.fail(error),
      log: this.core.log,
    })
  }

  #createKeeper(): LeaseKeeper {
    const { clock, log } = this.core
    return new LeaseKeeper(this.#role.leaseTiming, {
      lease: this.#role.lease,
      clock,
      log,
      isWanted: () => this.#couldLead,
      onFailure: (error) => this.#failAnytime(error),
      onChange: (isHeld) => this.#supervisor.dispatch(isHeld ? 'lease-taken' : 'lease-lost'),
    })
  }

  /** The leader, if it is reachable; `undefined` while the role changes. */
  #submitTarget(): Pick<Follower, 'submit'> | undefined {
    if (this.#supervisor.role === 'leader') return this.#leadership
    return this.#supervisor.role === 'standby' ? this.#follower : undefined
  }

  get #couldLead(): boolean {
    return this.#supervisor.role === 'standby' && this.#follower.couldLead
  }

  #answerPeers(): Promise<void> {
    const handlers = peerHandlers({
      core: this.core,
      peers: this.#peers,
      keeper: this.#keeper,
      supervisor: this.#supervisor,
      follower: this.#follower,
      leadership: () => this.#leadership,
      epoch: () => this.#epoch,
      onFailure: (error) => this.#failLeading(error),
    })
    return this.#peers.answer(handlers)
  }

  async #takeOver(): Promise<void> {
    const { clock, log, records, pool } = this.core
    const begun = clock.monotonic()
    await this.#follower.stop()
    // A snapshot transfer may have begun while the lease was requested.
    if (this.#follower.isRestoring) throw new ReplicatedLogError('ABANDONED', 'this node takes over a snapshot itself')
    const sequence = await beginEpoch({
      replicated: this.#replicated,
      records,
      chain: this.#follower.chain,
      leader: this.#role.name,
      randomBytes,
      isWanted: () => this.#supervisor.hasLease && !this.#isStopping,
      log,
      now: () => clock.monotonic(),
      pause: () => new Promise((resolve) => void clock.at(clock.monotonic() + TAKE_OVER_RETRY_MS, resolve)),
    })
    this.#epoch = { sequence, leader: this.#role.name }
    pool.use(this.#role.leading.pool)
    await this.#lead()
    this.#totals.takeOvers += 1
    // Logged at the default level, since operators need to see changes of roles.
    const milliseconds = Math.round(clock.monotonic() - begun)
    log.warn({ sequence, milliseconds }, 'this node makes the blocks from here on')
  }

  async #lead(): Promise<void> {
    const { leading, leaseTiming } = this.#role
    const leadership = new Leadership(
      this.#follower.chain.handOver(),
      { ...leading, freshnessMs: leaseTiming.renewIntervalMs },
      { core: this.core, onFailure: (error) => this.#failLeading(error) },
    )
    this.#isPoolFilled = false
    this.#leadership = leadership
    await leadership.sequencing.begin()
    // All published records are applied. A snapshot may name a pool record that its source never published: it will not
    // come, so the pool is restored without waiting for it. The former leader has acknowledged the recorded
    // transactions: they enter the pool whatever the limits here are.
    const { pool } = this.core
    pool.use(MIRRORED_POOL)
    this.#follower.mirror.takeOver()
    pool.use(leading.pool)
    this.#isPoolFilled = true
    this.#endSubmissions = this.#replicated.takeSubmissions((raw) => this.submit(raw))
    this.#describing = new AbortController()
    void this.#describe(this.#describing.signal)
  }

  /** Not awaited: blocks are built while the servers elect the one that can update the description. */
  async #describe(until: AbortSignal): Promise<void> {
    await this.#replicated.describe(until).catch((error: unknown) => {
      if (until.aborted) return
      this.core.log.warn({ err: error }, 'limits and settings of the stream are not those of this node')
    })
  }

  async #standDown(): Promise<void> {
    this.#refuseSubmissions()
    this.#describing.abort()
    const ended = this.#leadership
    if (ended !== undefined) {
      const { records, pool } = this.core
      this.#totals.missedSlots += ended.sequencing.counts.missedSlots
      const waiting = await ended.end()
      this.#leadership = undefined
      records.publishTo(undefined)
      pool.use(MIRRORED_POOL)
      this.#follower.chain.resumeFrom(ended.content)
      this.#follower.mirror.add(waiting)
      this.#totals.standDowns += 1
    }
    this.#follower.start({ anew: this.#follower.isRestoring })
  }

  #refuseSubmissions(): void {
    this.#endSubmissions()
    this.#endSubmissions = () => undefined
  }

  #failLeading(error: unknown): void {
    if (!(error instanceof ReplicatedLogError)) this.core.fail(error)
    else if (error.code === 'FENCED') this.#supervisor.dispatch('fenced')
    else if (error.code === 'LOST') this.#supervisor.dispatch('log-lost')
    // The caller knows why publishing was abandoned.
    else if (error.code !== 'ABANDONED') this.core.fail(error)
  }

  /** Releases the lease so that a standby can acquire it immediately. */
  async #end(): Promise<void> {
    const { records, tries, current, log } = this.core
    const { lease } = this.#role
    this.#isStopping = true
    await this.#keeper.stop()
    await this.#supervisor.stop()
    this.#describing.abort()
    this.#refuseSubmissions()
    this.#leadership?.halt()
    // While the replicated log is unreachable, a flush would never complete. The records were not announced.
    if ((records.publishing?.stalledForMs ?? 0) > 0) records.abandonPublishing()
    await this.#leadership?.stop()
    await this.#follower.stop()
    await this.core.stopWriting()
    await tries?.close()
    await lease.release().catch((error: unknown) => log.warn({ err: error }, 'the lease ends by itself'))
    await lease.close()
    await this.#peers.close()
    await this.#replicated.close()
    current.releaseHead()
  }
}
