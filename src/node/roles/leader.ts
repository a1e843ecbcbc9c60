import { hasBlobs } from '../../chain/forks/chain-config.ts'
import { scheduledTimeOf } from '../../chain/forks/denim-schedule.ts'
import type { PoolTransaction } from '../../chain/transaction/transaction.ts'
import type { ReplayedBlock } from '../../fork/source/fork-point.ts'
import type { PoolOrder } from '../../pool/candidates.ts'
import type { Address, Bytes } from '../../primitives/hex.ts'
import type { MaybePromise } from '../../primitives/maybe-promise.ts'
import { genesisAt } from '../core/genesis-chain.ts'
import type { SubmitResult } from '../core/results.ts'
import type { Development, DevelopmentSettings } from '../development/development.ts'
import type { StoredTime, TimeStore } from '../development/stored-time.ts'
import { Submissions } from '../intake/submissions.ts'
import { type RecordedPool, UnacknowledgedPool } from '../intake/unacknowledged-pool.ts'
import { WaitingDeposits } from '../layer1/waiting-deposits.ts'
import type { Journal } from '../log/journal.ts'
import type { ChainStart } from '../production/building/announcer.ts'
import type { RefusedTransaction } from '../production/building/candidate-outcome.ts'
import { Forecast } from '../production/building/forecast.ts'
import { leaderDevelopment } from '../production/leader-development.ts'
import type { LeaderSnapshotsDeps } from '../production/leader-snapshots.ts'
import { Sequencing } from '../production/sequencing.ts'
import type { RemovedTransaction } from '../view/pool-reconciler.ts'
import type { View } from '../view/view.ts'
import type { NodeCore } from './node-core.ts'
import type { LeaderSettings } from './node-settings.ts'

export interface LeaderOptions extends LeaderSettings {
  /** Chain time at the start. Default: the wall clock. */
  readonly time?: StoredTime | undefined
}

export interface LeaderDeps {
  readonly core: Pick<
    NodeCore,
    | 'config'
    | 'coinbase'
    | 'directory'
    | 'genesis'
    | 'engine'
    | 'chain'
    | 'pool'
    | 'current'
    | 'writer'
    | 'chainWriter'
    | 'tries'
    | 'senders'
    | 'clock'
    | 'log'
    | 'yieldTurn'
    | 'meter'
    | 'loads'
    | 'checksRecords'
  >
  readonly journal: Journal
  readonly timeStore?: Pick<TimeStore, 'keep'> | undefined
  /** Block building failed permanently. */
  readonly onFailure: (error: unknown) => void
}

type ForkedParts = Pick<LeaderSnapshotsDeps, 'chainStart' | 'forking'>

/** Builds blocks and accepts transactions, and records both in the journal. */
export class Leader {
  readonly #order: PoolOrder
  readonly #deps: LeaderDeps
  readonly #unacknowledged = new UnacknowledgedPool()
  readonly #submissions: Submissions
  /** Block production. */
  readonly sequencing: Sequencing
  readonly #forecast: Forecast
  readonly #deposits = new WaitingDeposits()

  /** @param start only this object may append to the journal from now on */
  constructor(start: ChainStart, settings: LeaderOptions, deps: LeaderDeps) {
    const { core, journal, timeStore, onFailure } = deps
    const { config, coinbase, current, senders, yieldTurn } = core
    this.#order = settings.pool.order
    this.#deps = deps
    this.#submissions = new Submissions(
      { hasBlobs: hasBlobs(config) },
      {
        current,
        journal,
        senders,
        yieldTurn,
        unacknowledged: this.#unacknowledged,
        loads: core.loads,
        isIncludedFirst: () => this.sequencing.isAuto,
        include: () => this.sequencing.include(),
      },
    )
    this.sequencing = new Sequencing(
      start,
      { ...settings, config, coinbase },
      {
        ...partsOf(core),
        records: journal,
        timeStore,
        deposits: this.#deposits,
        waiting: () => this.waiting(),
        onFailure,
      },
    )
    const { engine, clock } = core
    this.#forecast = new Forecast(
      { config, order: settings.pool.order, l1: settings.l1, followsLayer1: settings.l1Chain !== undefined },
      { engine, clock, yieldTurn, settings: () => this.sequencing.settings },
    )
  }

  /** Operations of a development node. @param forked what follows the fork block, and how to leave it */
  development(settings: DevelopmentSettings, forked: ForkedParts = { chainStart: {} }): Development {
    const { core, journal } = this.#deps
    const { current, clock, writer, loads } = core
    const deps = {
      loads,
      sequencing: this.sequencing,
      submissions: this.#submissions,
      current,
      clock,
      journal,
      writer,
      store: core.directory.store,
      waiting: () => this.waiting(),
      config: core.config,
      isTimeScheduled: scheduledTimeOf(0, core.config) !== undefined,
      genesisAt: settings.renewsGenesis ? (timestamp: bigint) => genesisAt(core.genesis, timestamp) : undefined,
      ...forked,
    }
    return leaderDevelopment({ ...settings, order: this.#order }, deps)
  }

  /** See `ServedSolo.forecast`. The open block of the schedule is no forecast: its transactions are announced. */
  forecast(view: View): MaybePromise<View> {
    return this.isOnDemand ? this.#forecast.of(view) : view
  }

  get isOnDemand(): boolean {
    return this.sequencing.mode.kind === 'on-demand'
  }

  /**
   * Mines the transactions of a block of the forked chain.
   *
   * @returns the first transaction that cannot be included
   */
  replay(block: ReplayedBlock): Promise<RefusedTransaction | undefined> {
    return this.sequencing.exclusively(() => this.sequencing.miner.replay(block))
  }

  /** Accepts a transaction once its record is durable. */
  submit(raw: Bytes, from?: Address): Promise<SubmitResult> {
    return this.#submissions.submit(raw, from)
  }

  /** Transactions that are acknowledged, or will be, and are in no flashblock yet. */
  waiting(): readonly PoolTransaction[] {
    return [...this.#deps.core.current.pool.waiting(), ...this.#unacknowledged.inFlight]
  }

  /** The pool as of a record. */
  poolAsOf(sequence: number): RecordedPool {
    const { current } = this.#deps.core
    return this.#unacknowledged.asOf(sequence, { waiting: current.pool.waiting(), dropped: current.pool.dropped() })
  }

  /** Transactions dropped by records after this one. */
  droppedAfter(sequence: number): readonly RemovedTransaction[] {
    return this.#unacknowledged.droppedAfter(sequence)
  }

  /** Records dropped transactions. Durable with the next flashblock; a restart before that has them in the pool. */
  journalDropped(left: readonly RemovedTransaction[]): void {
    const { core, journal } = this.#deps
    if (core.current.hasFailed) return
    const transactions = left.map(({ hash, reason }) => ({ hash, reason }))
    const sequence = journal.append({ kind: 'drop', transactions })
    this.#unacknowledged.leaves({ sequence, transactions: left }, journal.durableSequence)
  }

  /** Keeps dropped transactions whose drop cannot be recorded any more: they are still in the pools of followers. */
  keepUnrecordedDrops(transactions: readonly RemovedTransaction[]): void {
    this.#unacknowledged.leaves(
      { sequence: Number.POSITIVE_INFINITY, transactions },
      this.#deps.journal.durableSequence,
    )
  }

  /** Stops taking slots. */
  halt(): void {
    this.sequencing.halt()
    this.#deposits.halt()
  }

  /** Stops taking slots, and waits for the flashblock in progress. */
  async stop(): Promise<void> {
    this.halt()
    try {
      await this.sequencing.stop()
    } finally {
      this.#deposits.stop()
    }
  }
}

function partsOf({
  chain,
  pool,
  current,
  writer,
  chainWriter,
  clock,
  log,
  yieldTurn,
  tries,
  meter,
  loads,
  checksRecords,
}: LeaderDeps['core']) {
  return { chain, pool, current, writer, chainWriter, clock, log, yieldTurn, tries, meter, loads, checksRecords }
}
