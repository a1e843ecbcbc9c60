import type { Logger } from 'pino'
import type { ChainConfig } from '../../chain/forks/chain-config.ts'
import type { L1Settings } from '../../chain/system-transactions/simulated-l1.ts'
import type { PoolTransaction } from '../../chain/transaction/transaction.ts'
import type { Pool } from '../../pool/pool.ts'
import type { Address } from '../../primitives/hex.ts'
import type { ChainStore } from '../../state/chain-store/chain-store.ts'
import type { Clock } from '../core/clock.ts'
import type { WorkMeter } from '../core/work-meter.ts'
import type { MiningMode } from '../development/mining-mode.ts'
import type { StoredTime, TimeStore } from '../development/stored-time.ts'
import type { StateLoads } from '../forking/state-loads.ts'
import type { L1Chain } from '../layer1/l1-chain.ts'
import type { WaitingDeposits } from '../layer1/waiting-deposits.ts'
import type { Journal } from '../log/journal.ts'
import type { BlockWriter } from '../store/block-writer.ts'
import type { ChainWriter } from '../store/chain-writer.ts'
import type { RemoteTries } from '../tries/remote-tries.ts'
import type { CurrentView } from '../view/current-view.ts'
import type { Schedule } from './building/schedule.ts'

export interface SequencingOptions {
  readonly config: ChainConfig
  readonly schedule: Schedule
  /** Gas limit of each block; on layer 1 the target of the gas limit. */
  readonly gasLimit: bigint
  readonly coinbase: Address
  /** `false`: no blocks are built, and transactions stay in the pool. Default: true. */
  readonly sequencing?: boolean | undefined
  /** Share of a flashblock interval for execution, 0 to 1. */
  readonly timeBudget: number
  /** Blocks between latest and finalized. */
  readonly finalityDepth: number
  /** Default: flashblocks on schedule. */
  readonly mining?: MiningMode | undefined
  /** Default: the wall clock. */
  readonly time?: StoredTime | undefined
  /** See `NextBlockOptions`. */
  readonly l1?: L1Settings | undefined
  readonly l1Chain?: L1Chain | undefined
}

export interface SequencingDeps {
  readonly chain: ChainStore
  readonly records: Journal
  readonly pool: Pool
  readonly current: CurrentView
  readonly writer: BlockWriter
  readonly chainWriter: ChainWriter
  /** Transactions that are acknowledged, or will be, and are in no flashblock yet. */
  readonly waiting: () => readonly PoolTransaction[]
  readonly clock: Clock
  readonly log: Logger
  /** Yields to the event loop. */
  readonly yieldTurn: () => Promise<void>
  /** Applies diffs to the state trie. Default: this thread. */
  readonly tries?: RemoteTries | undefined
  readonly meter?: WorkMeter | undefined
  /** Loads the state of transactions of a forked chain. Default: the state is complete. */
  readonly loads?: StateLoads | undefined
  /** Deposits without a layer 1. Default: there are none. */
  readonly deposits?: WaitingDeposits | undefined
  /** Block building failed permanently. */
  readonly onFailure: (error: unknown) => void
  /** Keeps chain time for the next start. Default: not kept. */
  readonly timeStore?: Pick<TimeStore, 'keep'> | undefined
  /** Whether every record is applied once more as followers do, and compared. Default: false. */
  readonly checksRecords?: boolean | undefined
  /** Uniform in 0 (inclusive) to 1, for random intervals. Default: Math.random. */
  readonly random?: (() => number) | undefined
}
