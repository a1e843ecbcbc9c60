import { isDeepStrictEqual } from 'node:util'
import type { Block } from '../../chain/block/block.ts'
import type { ChainConfig } from '../../chain/forks/chain-config.ts'
import type { Genesis } from '../../chain/genesis/genesis.ts'
import type { L1Settings } from '../../chain/system-transactions/simulated-l1.ts'
import type { PoolTransaction } from '../../chain/transaction/transaction.ts'
import type { ChainFork } from '../../fork/chain-fork.ts'
import type { ReplayedBlock } from '../../fork/source/fork-point.ts'
import type { PoolView } from '../../pool/types.ts'
import { type Hash, hexToBytes } from '../../primitives/hex.ts'
import { keccakHash } from '../../primitives/keccak.ts'
import { mergeDiffs } from '../../state/diff.ts'
import { whenLoaded } from '../../state/missing-state.ts'
import type { StateDiff } from '../../state/state-diff.ts'
import type { Clock } from '../core/clock.ts'
import type { DevelopmentAccounts } from '../development/accounts.ts'
import type { DevelopmentSettings } from '../development/development.ts'
import type { MiningMode } from '../development/mining-mode.ts'
import { chainSeconds, type NextBlockSettings, settingsOnce, withOnce } from '../development/next-block.ts'
import {
  type LiveSnapshot,
  MAX_SNAPSHOTS,
  type ReforkRefusal,
  type ReorgRefusal,
  type ReplacingTransaction,
  type ReplayRefusal,
  type RevertScope,
  type RollbackRefusal,
  type SettingsSnapshot,
  type SnapshotRefusal,
  type Snapshots,
  type StatePruned,
  settingsAfterRevert,
  settingsAfterRollback,
} from '../development/snapshots.ts'
import { initialTime, WALL_CLOCK } from '../development/stored-time.ts'
import { forkAlterations, forkBase } from '../forking/fork-base.ts'
import type { Journal } from '../log/journal.ts'
import type { BlockWriter } from '../store/block-writer.ts'
import type { CurrentView } from '../view/current-view.ts'
import type { Sequencing } from './sequencing.ts'
import type { UnwindTarget } from './unwinding.ts'

export interface LeaderSnapshotsDeps {
  readonly chainStart: ForkedStart
  /** Absent: the chain is no fork, or its directory belongs to the fork block. */
  readonly forking?: Forking | undefined
  readonly sequencing: Sequencing
  readonly current: CurrentView
  readonly journal: Journal
  readonly writer: Pick<BlockWriter, 'holdAbove'>
  readonly clock: Pick<Clock, 'wall'>
  /** Block 0 with a timestamp, for complete resets. Absent: they keep block 0. */
  readonly genesisAt: ((timestamp: bigint) => Block) | undefined
  readonly accounts: Pick<DevelopmentAccounts, 'reset'>
  /** Transactions that are acknowledged, or will be, and are in no flashblock yet. */
  readonly waiting: () => readonly PoolTransaction[]
}

/** Content that follows the first block of a chain, also after a reset. */
export interface ForkedStart {
  /** State changes from outside. Default: none. */
  readonly alterations?: StateDiff | undefined
  /** Transactions of the chain that is forked. Default: none. */
  readonly replayed?: ReplayedBlock | undefined
}

/** Parameters of a chain on a fork block. */
export interface ForkedGenesis {
  readonly genesis: Genesis
  /** Prices and origin of layer 1 in the fork block. */
  readonly l1: L1Settings
}

/** The forked chain of a node that can begin on another of its blocks. */
export interface Forking {
  readonly fork: Pick<ChainFork, 'adopt'>
  readonly genesisOn: (fork: ChainFork) => Promise<ForkedGenesis>
  /** Rules of the node, which a reset does not change. */
  readonly config: ChainConfig
}

interface TakenSnapshot extends LiveSnapshot, SettingsSnapshot {
  /** State changes from outside that follow the newest sealed block. */
  readonly alterations: readonly StateDiff[]
  readonly pool: PoolView
}

/** Snapshots of a node that leads. They refer to blocks of the chain and copy nothing, whatever its size. */
export class LeaderSnapshots implements Snapshots {
  readonly #deps: LeaderSnapshotsDeps
  #timestamp: bigint | undefined
  #chainStart: ForkedStart
  #initial: { readonly mode: MiningMode; readonly settings: NextBlockSettings }
  /** In the order in which they were taken, which is also that of their heights. */
  #taken: TakenSnapshot[] = []
  #nextId = 0
  #resets = 0

  /** @param timestamp at which chain time begins, in Unix seconds; default: the wall clock */
  constructor({ timestamp }: Pick<DevelopmentSettings, 'timestamp'>, deps: LeaderSnapshotsDeps) {
    const { mode, settings } = deps.sequencing
    this.#deps = deps
    this.#chainStart = deps.chainStart
    this.#timestamp = timestamp
    this.#initial = { mode, settings }
  }

  get resets(): number {
    return this.#resets
  }

  list(): readonly LiveSnapshot[] {
    return this.#taken
  }

  take(): Promise<number | SnapshotRefusal> {
    const { sequencing, current, clock } = this.#deps
    return sequencing.exclusively(async () => {
      if (this.#taken.length >= MAX_SNAPSHOTS) return { code: 'TOO_MANY_SNAPSHOTS', limit: MAX_SNAPSHOTS } as const
      await sequencing.sealOpen()
      const { head, pool } = current.view()
      const { number, hash, timestamp } = newestOf(current)
      // `debug_setHead` may have removed the blocks of snapshots.
      while (this.#taken.length > 0 && this.#taken.at(-1)!.number > number) this.#taken.pop()
      const id = this.#nextId++
      this.#taken.push({
        id,
        number,
        hash,
        alterations: head.pending.prelude?.diffs ?? [],
        pool,
        settings: sequencing.settings,
        wallMs: clock.wall(),
        block: { number, timestamp },
      })
      this.#holdBlocks()
      return id
    })
  }

  revert(id: number, scope: RevertScope): Promise<boolean | StatePruned> {
    const { sequencing, current, clock } = this.#deps
    return sequencing.exclusively(async () => {
      const taken = this.#taken.find((snapshot) => snapshot.id === id)
      if (taken === undefined) return false
      const earlier = this.#taken.filter((snapshot) => snapshot.id < id)
      // `debug_setHead` may have removed its block.
      if (hashOf(current, taken.number) !== taken.hash) {
        this.#keep(earlier)
        return false
      }
      const { number, alterations, pool } = taken
      const settings = settingsAfterRevert(scope, sequencing.settings, taken, clock.wall())
      const target = {
        number,
        settings,
        ...(alterations.length > 0 && { alterations: mergeDiffs(alterations) }),
        reusesTimestamps: true,
      }
      const refused =
        scope === 'everything'
          ? await this.#unwindWithPool(target, inArrivalOrder(pool))
          : await sequencing.unwind(target)
      if (refused !== undefined) return refused
      // Release the hold after the unwind: before it, the writer would store blocks that are about to be removed.
      this.#keep(earlier)
      return true
    })
  }

  rollback(depth: number): Promise<RollbackRefusal | undefined> {
    return this.#deps.sequencing.exclusively(() => this.#rollBack(depth))
  }

  reorganize(
    depth: number,
    transactions: readonly ReplacingTransaction[],
  ): Promise<RollbackRefusal | ReorgRefusal | undefined> {
    const { sequencing } = this.#deps
    return sequencing.exclusively(async () => {
      const failed = await this.#rollBack(depth, withOtherRandomness)
      if (failed !== undefined) return failed
      const refused: { transaction: ReplacingTransaction; error: unknown }[] = []
      let mined = 0
      for (const transaction of transactions) {
        if (transaction.block > mined) {
          await this.#mine(transaction.block - mined)
          mined = transaction.block
        }
        const error = await failureOf(async () => whenLoaded(() => transaction.send()))
        if (error !== undefined) refused.push({ transaction, error })
        // The next transaction may depend on this one.
        else await sequencing.miner.announce()
      }
      await this.#mine(depth - mined)
      return refused.length === 0 ? undefined : { code: 'TRANSACTIONS_REFUSED', refused }
    })
  }

  /** Within `exclusively`. */
  async #mine(blocks: number): Promise<void> {
    await this.#deps.sequencing.miner.mine<never>({ blocks, isTimed: false }, (settings) => ({ settings }))
  }

  /**
   * Within `exclusively`.
   *
   * @param change of the settings of coming blocks, given the lowest removed block
   */
  async #rollBack(
    depth: number,
    change: (settings: NextBlockSettings, removed: RemovedBlock) => NextBlockSettings = (settings) => settings,
  ): Promise<RollbackRefusal | undefined> {
    const { sequencing, current, clock } = this.#deps
    // The open block stays, too.
    if (depth === 0) return undefined
    const { latest } = current.head.sealed
    const number = latest - depth
    if (number < 0) return { code: 'ABOVE_LATEST', depth, latest }
    const fork = current.head.base.below?.number
    if (fork !== undefined && number < fork) return { code: 'BELOW_FORK', number, fork }
    const { timestamp } = current.view().header({ kind: 'number', number })!
    const continued = settingsAfterRollback(sequencing.settings, { number, timestamp }, clock.wall())
    const hash = hashOf(current, number + 1)
    const settings = hash === undefined ? continued : change(continued, { number: number + 1, hash })
    const refused = await sequencing.unwind({ number, settings, reusesTimestamps: true })
    if (refused !== undefined) return refused
    this.#keep(this.#taken.filter((snapshot) => snapshot.number <= number))
    return undefined
  }

  reset(scope: RevertScope): Promise<RollbackRefusal | ReplayRefusal | undefined> {
    const { sequencing, current, clock, genesisAt } = this.#deps
    return sequencing.exclusively(async () => {
      // On a fork, this is the block of the other node.
      const number = current.head.base.below?.number ?? 0
      const { alterations, replayed } = this.#chainStart
      const wallMs = clock.wall()
      const kept = this.#settingsAfterReset(scope, wallMs)
      const genesis = scope === 'everything' ? genesisAt?.(chainSeconds(kept, wallMs)) : undefined
      const target = { number, alterations, settings: kept, reusesTimestamps: true, genesis }
      const pruned = await this.#unwindWithPool(target, [])
      if (pruned !== undefined) return pruned
      this.#keep([])
      const refused = replayed && (await sequencing.miner.replay(replayed))
      await this.#finishReset(scope)
      return refused && { code: 'REPLAY_REFUSED', ...refused }
    })
  }

  async resetOnto(fork: ChainFork, scope: RevertScope): Promise<ReforkRefusal | undefined> {
    const { sequencing, current, clock, forking } = this.#deps
    if (forking === undefined) return { code: 'DIRECTORY_KEPT' }
    const { genesis, l1 } = await forking.genesisOn(fork)
    const { miner: coinbase, gasLimit, timestamp } = genesis.header
    if (!isDeepStrictEqual(genesis.config, forking.config)) return { code: 'RULES_DIFFER', number: fork.point.number }
    // Before the operation: an upstream that fails must not fail the node.
    const alterations = await forkAlterations(genesis, fork)
    return sequencing.exclusively(async () => {
      this.#timestamp = timestamp
      this.#chainStart = { alterations }
      const changed = { coinbase, gasLimit, l1 }
      this.#initial = { ...this.#initial, settings: { ...this.#initial.settings, ...changed } }
      const settings = { ...this.#settingsAfterReset(scope, clock.wall()), ...changed }
      for (const { hash } of current.pool.waiting()) current.pool.drop(hash, { code: 'REMOVED' })
      this.#keep([])
      forking.fork.adopt(fork)
      await sequencing.refork({ block: forkBase(fork).block, below: fork.below, alterations, settings })
      await this.#finishReset(scope)
      return undefined
    })
  }

  #settingsAfterReset(scope: RevertScope, wallMs: number): NextBlockSettings {
    const { sequencing, genesisAt } = this.#deps
    const { settings } = this.#initial
    const { timestampInterval } = sequencing.settings
    // Where block 0 has the time of the start, time runs on. Elsewhere it begins again at the chosen time.
    const time = genesisAt ? { ...WALL_CLOCK, offsetMs: settings.offsetMs } : initialTime(this.#timestamp, wallMs)
    return scope === 'chain' ? { ...sequencing.settings, ...time, timestampInterval } : { ...settings, ...time }
  }

  async #finishReset(scope: RevertScope): Promise<void> {
    this.#resets += 1
    if (scope === 'chain') return
    this.#deps.accounts.reset()
    await this.#deps.sequencing.switchMode(() => this.#initial.mode)
  }

  #keep(taken: TakenSnapshot[]): void {
    this.#taken = taken
    this.#holdBlocks()
  }

  /** Blocks above the oldest snapshot can be unwound soon: the writer does not store them yet. */
  #holdBlocks(): void {
    this.#deps.writer.holdAbove(this.#taken[0]?.number)
  }

  /** Unwinds the chain and makes the pool what it was, within `exclusively`. */
  async #unwindWithPool(
    target: Omit<UnwindTarget, 'waiting'>,
    pooledThen: readonly PoolTransaction[],
  ): Promise<StatePruned | undefined> {
    const changes: PoolChanges[] = []
    const waiting = () => {
      const change = this.#poolChanges(pooledThen)
      changes.push(change)
      return change.recorded
    }
    const refused = await this.#deps.sequencing.unwind({ ...target, waiting })
    for (const change of changes) await this.#changePool(change)
    return refused
  }

  /** Changes that make the pool what it was. Transactions in flight are sent after the snapshot, and stay. */
  #poolChanges(pooledThen: readonly PoolTransaction[]): PoolChanges {
    const { current, waiting } = this.#deps
    const pooledNow = current.pool.waiting()
    const hashesThen = new Set(pooledThen.map(({ hash }) => hash))
    const hashesNow = new Set(pooledNow.map(({ hash }) => hash))
    const inFlight = waiting().filter(({ hash }) => !hashesThen.has(hash) && !hashesNow.has(hash))
    return {
      dropped: pooledNow.filter(({ hash }) => !hashesThen.has(hash)),
      added: pooledThen.filter(({ hash }) => !hashesNow.has(hash)),
      recorded: [...pooledThen, ...inFlight],
    }
  }

  async #changePool({ dropped, added }: PoolChanges): Promise<void> {
    const { current, journal } = this.#deps
    for (const { hash } of dropped) current.pool.drop(hash, { code: 'REMOVED' })
    if (added.length > 0) journal.append({ kind: 'pool', transactions: added })
    for (const transaction of added) {
      const verdict = current.pool.add(transaction)
      // Followers and the next start would have it in the pool, because the record does.
      if (verdict.kind === 'refused' && verdict.refusal.code !== 'ALREADY_KNOWN') {
        const reason = { code: 'INVALID', reason: verdict.refusal.code } as const
        current.pool.announceDropped([{ hash: transaction.hash, reason, transaction }])
      }
    }
    await journal.sync()
  }
}

interface RemovedBlock {
  readonly number: number
  readonly hash: Hash
}

/**
 * Gives the block in place of a removed one another prevRandao, unless one was chosen: without transactions it could
 * otherwise equal the removed one. Later blocks differ because their parents do.
 */
function withOtherRandomness(settings: NextBlockSettings, { number, hash }: RemovedBlock): NextBlockSettings {
  if (settingsOnce(settings, number).prevRandao !== undefined) return settings
  return withOnce(settings, { number, prevRandao: keccakHash(hexToBytes(hash)) })
}

interface PoolChanges {
  readonly dropped: readonly PoolTransaction[]
  readonly added: readonly PoolTransaction[]
  /** The pool that the record of the unwind has. */
  readonly recorded: readonly PoolTransaction[]
}

function failureOf(work: () => Promise<unknown>): Promise<unknown> {
  return work().then(
    () => undefined,
    (error: unknown) => error,
  )
}

function inArrivalOrder(pool: PoolView): readonly PoolTransaction[] {
  const entries = [...pool.senders()].flatMap((sender) => pool.bySender(sender))
  return entries.sort((a, b) => a.arrival - b.arrival).map(({ transaction }) => transaction)
}

function newestOf(current: CurrentView): { readonly number: number; readonly hash: Hash; readonly timestamp: bigint } {
  const number = current.head.sealed.latest
  const { timestamp } = current.view().header({ kind: 'number', number })!
  return { number, hash: hashOf(current, number)!, timestamp }
}

function hashOf(current: CurrentView, number: number): Hash | undefined {
  return number > current.head.sealed.latest ? undefined : current.view().blockHash({ kind: 'number', number })
}
