import { randomBytes } from 'node:crypto'
import { DEVELOPMENT_ACCOUNTS } from '../../chain/accounts/development-accounts.ts'
import type { Header } from '../../chain/block/header.ts'
import type { ChainConfig } from '../../chain/forks/chain-config.ts'
import { denimScalingOf } from '../../chain/forks/denim-schedule.ts'
import type { PoolTransaction } from '../../chain/transaction/transaction.ts'
import type { PoolOrder } from '../../pool/candidates.ts'
import { dependentsOf } from '../../pool/sender-queue.ts'
import type { Address, Hash } from '../../primitives/hex.ts'
import { keccakHash } from '../../primitives/keccak.ts'
import { bigintToWord } from '../../primitives/quantity.ts'
import type { TableName } from '../../state/chain-store/encoding/tables.ts'
import type { KeyValueStore } from '../../storage/key-value.ts'
import { type AccountSettings, DevelopmentAccounts } from '../development/accounts.ts'
import { CallBundles } from '../development/call-bundles.ts'
import type { ChainTime } from '../development/chain-time.ts'
import type { Development, DevelopmentSettings } from '../development/development.ts'
import { DevelopmentLogging } from '../development/logging.ts'
import type { MineRefusal, MineRequest, Mining } from '../development/mining.ts'
import type { MiningMode } from '../development/mining-mode.ts'
import {
  chainSeconds,
  type NextBlockSettings,
  offsetSeconds,
  settingsOnce,
  withChainTime,
  withOnce,
  withReachedTime,
} from '../development/next-block.ts'
import type { CommitResult, PayloadChoices } from '../development/payload-plan.ts'
import { TIME_IS_SCHEDULED, type TimestampRefusal, timestampRefusal } from '../development/timestamp-refusal.ts'
import type { StateLoads } from '../forking/state-loads.ts'
import type { Submissions } from '../intake/submissions.ts'
import type { BlockWriter } from '../store/block-writer.ts'
import { LeaderSnapshots, type LeaderSnapshotsDeps } from './leader-snapshots.ts'
import { LeaderStateChanges } from './leader-state-changes.ts'

export interface LeaderDevelopmentDeps extends Omit<LeaderSnapshotsDeps, 'accounts'> {
  /** Whether the time of each block follows from its number (Denim). */
  readonly isTimeScheduled: boolean
  readonly config: ChainConfig
  readonly writer: Pick<BlockWriter, 'holdAbove' | 'idle'>
  readonly store: KeyValueStore<TableName>
  /** Loads the state of a forked chain. Default: the state is complete. */
  readonly loads?: StateLoads | undefined
  readonly submissions: Pick<Submissions, 'receive' | 'submitReceived' | 'submitMade' | 'refusalOfMade'>
}

export interface LeaderDevelopmentOptions extends Pick<DevelopmentSettings, 'accounts' | 'timestamp'> {
  readonly order: PoolOrder
}

const DEFAULT_ACCOUNTS: AccountSettings = { keys: DEVELOPMENT_ACCOUNTS, autoImpersonate: false }

/** The operations of a development node that leads. */
export function leaderDevelopment(options: LeaderDevelopmentOptions, deps: LeaderDevelopmentDeps): Development {
  const accounts = new DevelopmentAccounts(options.accounts ?? DEFAULT_ACCOUNTS)
  const snapshots = new LeaderSnapshots(options, { ...deps, accounts })
  const startId = randomBytes(32)
  return {
    mining: new LeaderMining(deps),
    time: new LeaderTime(deps),
    state: new LeaderStateChanges(deps),
    snapshots,
    accounts,
    order: options.order,
    logging: new DevelopmentLogging(),
    bundles: new CallBundles(deps),
    get instanceId() {
      return keccakHash(Buffer.concat([startId, bigintToWord(BigInt(snapshots.resets))]))
    },
    deposit: (deposit) => deps.sequencing.deposit(deposit),
    stored: () => deps.writer.idle(),
    receive: (raw) => deps.submissions.receive(raw),
    submitReceived: (transaction, options) => deps.submissions.submitReceived(transaction, options),
    submitMade: (from, make, options) => deps.submissions.submitMade(from, make, options),
    refusalOfMade: (from, make) => deps.submissions.refusalOfMade(from, make),
  }
}

/** Blocks of one request. */
export const MAX_BLOCKS_PER_REQUEST = 100_000

/** Mining operations of a node that leads. */
class LeaderMining implements Mining {
  readonly #deps: LeaderDevelopmentDeps

  constructor(deps: LeaderDevelopmentDeps) {
    this.#deps = deps
  }

  get mode(): MiningMode {
    return this.#deps.sequencing.mode
  }

  get settings(): NextBlockSettings {
    return this.#deps.sequencing.settings
  }

  async setMode(
    change: (mode: MiningMode) => MiningMode,
    { minesWaiting }: { readonly minesWaiting: boolean },
  ): Promise<void> {
    const { sequencing } = this.#deps
    await sequencing.setMode(change)
    if (minesWaiting && sequencing.isAuto) await sequencing.include()
  }

  mine(request: MineRequest): Promise<MineRefusal | undefined> {
    const { clock, isTimeScheduled, sequencing } = this.#deps
    const { blocks, timestamp: chosen, intervalSeconds: spacing } = request
    if (isTimeScheduled && (chosen ?? spacing) !== undefined) return Promise.resolve(TIME_IS_SCHEDULED)
    const limit = MAX_BLOCKS_PER_REQUEST
    if (blocks > limit) return Promise.resolve({ code: 'TOO_MANY_BLOCKS', blocks, limit })
    return sequencing.mine({ blocks, isTimed: choosesFirstTime(request) }, (settings, parent, index) => {
      const wallMs = clock.wall()
      const timestamp = timestampOf(request, { settings, parent, index, wallMs })
      const first = timestamp ?? chainSeconds(settings, wallMs)
      const tooHigh = index === 0 ? lastTimestampRefusal(first, request) : undefined
      if (tooHigh !== undefined) return { refused: tooHigh }
      if (timestamp === undefined) return { settings }
      const refused = timestampRefusal(timestamp, parent.timestamp)
      if (refused !== undefined) return { refused }
      return { settings: withOnce(settings, { number: parent.number + 1, timestamp }) }
    })
  }

  commit(choices: PayloadChoices): Promise<CommitResult> {
    const { sequencing } = this.#deps
    return sequencing.exclusively(() => sequencing.miner.commit(choices))
  }

  async setCoinbase(coinbase: Address): Promise<void> {
    await this.#change((settings) => ({ ...settings, coinbase }))
  }

  async setGasLimit(gasLimit: bigint): Promise<void> {
    // The setting is that of blocks before Denim, whose gas limit its activation divides.
    await this.#change((settings, { number }) => ({
      ...settings,
      gasLimit: gasLimit * BigInt(denimScalingOf(number + 1, this.#deps.config)),
    }))
  }

  async setNextBaseFee(baseFeePerGas: bigint): Promise<void> {
    await this.#deps.sequencing.change(
      (settings, { number }) => ({ settings: withOnce(settings, { number: number + 1, baseFeePerGas }) }),
      // The rules derive the base fee from the parent: verification accepts a chosen one only with a marker.
      { isMarked: true },
    )
  }

  async setPrevRandao(prevRandao: Hash): Promise<void> {
    await this.#change((settings, { number }) => withOnce(settings, { number: number + 1, prevRandao }))
  }

  async dropTransaction(hash: Hash, { withDependents } = { withDependents: false }): Promise<boolean> {
    const { current } = this.#deps
    const dropped = await this.#drop(() => {
      const transaction = current.pool.get(hash)
      if (transaction === undefined) return []
      const entries = withDependents ? dependentsOf(current.pool.view().bySender(transaction.from), transaction) : []
      return [hash, ...entries.map((entry) => entry.transaction.hash)]
    })
    return dropped.length > 0
  }

  dropTransactions(isDropped: (transaction: PoolTransaction) => boolean = () => true): Promise<readonly Hash[]> {
    const { current } = this.#deps
    return this.#drop(() =>
      current.pool
        .waiting()
        .filter(isDropped)
        .map(({ hash }) => hash),
    )
  }

  #drop(choose: () => readonly Hash[]): Promise<readonly Hash[]> {
    const { current, journal, sequencing } = this.#deps
    return sequencing.exclusively(async () => {
      const hashes = choose()
      for (const hash of hashes) current.pool.drop(hash, { code: 'REMOVED' })
      await journal.sync()
      return hashes
    })
  }

  #change(change: (settings: NextBlockSettings, parent: ParentTime) => NextBlockSettings): Promise<undefined> {
    return this.#deps.sequencing.change((settings, parent) => ({ settings: change(settings, parent) }))
  }
}

/** Chain time of a node that leads. */
class LeaderTime implements ChainTime {
  readonly #deps: LeaderDevelopmentDeps
  #lastSealedMs: number

  constructor(deps: LeaderDevelopmentDeps) {
    this.#deps = deps
    this.#lastSealedMs = deps.clock.wall()
    deps.current.events.on('sealed', () => {
      this.#lastSealedMs = deps.clock.wall()
    })
  }

  get lastSealedMs(): number {
    return this.#lastSealedMs
  }

  async increase(seconds: bigint): Promise<bigint | TimestampRefusal> {
    const { clock, isTimeScheduled, sequencing } = this.#deps
    if (isTimeScheduled) return TIME_IS_SCHEDULED
    const refused = await sequencing.change((settings, parent) => {
      const reached = seconds === 0n ? settings : withReachedTime(settings, parent, clock.wall())
      const tooHigh = timestampRefusal(chainSeconds(reached, clock.wall()) + seconds, -1n)
      return tooHigh === undefined
        ? { settings: { ...reached, offsetMs: reached.offsetMs + seconds * 1000n } }
        : { refused: tooHigh }
    })
    return refused ?? offsetSeconds(sequencing.settings)
  }

  setNextTimestamp(timestamp: bigint): Promise<TimestampRefusal | undefined> {
    if (this.#deps.isTimeScheduled) return Promise.resolve(TIME_IS_SCHEDULED)
    return this.#deps.sequencing.change((settings, parent) => {
      const refused = timestampRefusal(timestamp, parent.timestamp)
      return refused === undefined
        ? { settings: withOnce(settings, { number: parent.number + 1, timestamp }) }
        : { refused }
    })
  }

  async set(timestamp: bigint): Promise<bigint | TimestampRefusal> {
    const { clock, isTimeScheduled, sequencing } = this.#deps
    if (isTimeScheduled) return TIME_IS_SCHEDULED
    let ahead = 0n
    const refused = await sequencing.change((settings, { number }) => {
      const tooHigh = timestampRefusal(timestamp, -1n)
      if (tooHigh !== undefined) return { refused: tooHigh }
      const difference = timestamp - chainSeconds(settings, clock.wall())
      ahead = difference > 0n ? difference : 0n
      const cleared = withOnce(settings, { number: number + 1, timestamp: undefined })
      return { settings: withChainTime(cleared, timestamp, clock.wall()) }
    })
    return refused ?? ahead
  }

  async setInterval(seconds: bigint | undefined): Promise<bigint | TimestampRefusal | undefined> {
    if (this.#deps.isTimeScheduled && seconds !== undefined) return TIME_IS_SCHEDULED
    let former: bigint | undefined
    const refused = await this.#deps.sequencing.change((settings, { timestamp }) => {
      const tooHigh = seconds === undefined ? undefined : timestampRefusal(timestamp + seconds, -1n)
      if (tooHigh !== undefined) return { refused: tooHigh }
      former = settings.timestampInterval
      return { settings: { ...settings, timestampInterval: seconds } }
    })
    return refused ?? former
  }
}

type ParentTime = Pick<Header, 'number' | 'timestamp'>

interface TimestampContext {
  readonly settings: NextBlockSettings
  readonly parent: ParentTime
  readonly index: number
  readonly wallMs: number
}

/** Whether the timestamp of the first block is chosen, so that it cannot be the open block with its transactions. */
function choosesFirstTime({ timestamp, intervalSeconds: interval = 0n, spacesFirst = false }: MineRequest): boolean {
  return timestamp !== undefined || (spacesFirst && interval > 0n)
}

/** Timestamp of a mined block, unless chain time determines it. */
function timestampOf(
  { timestamp, intervalSeconds: interval = 0n, spacesFirst = false }: MineRequest,
  { settings, parent, index, wallMs }: TimestampContext,
): bigint | undefined {
  if (index === 0 && timestamp !== undefined) return timestamp
  if (interval === 0n) return undefined
  if (index > 0) return parent.timestamp + interval
  if (!spacesFirst) return undefined
  // `evm_setNextBlockTimestamp` takes precedence over the interval.
  const set = settingsOnce(settings, parent.number + 1).timestamp
  if (set !== undefined && set > parent.timestamp) return set
  return chainSeconds(withReachedTime(settings, parent, wallMs), wallMs) + interval
}

/** Refuses a request as a whole if its interval leads to a timestamp that is too high. @param first of its blocks */
function lastTimestampRefusal(
  first: bigint,
  { blocks, intervalSeconds: interval = 0n }: MineRequest,
): TimestampRefusal | undefined {
  return interval === 0n ? undefined : timestampRefusal(first + interval * BigInt(blocks - 1), -1n)
}
