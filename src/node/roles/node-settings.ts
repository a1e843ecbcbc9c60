import type { Logger } from 'pino'
import { MAX_CODE_SIZE } from '../../chain/constants.ts'
import type { ChainConfig } from '../../chain/forks/chain-config.ts'
import { chainProfile, DEFAULT_PROFILE } from '../../chain/forks/chain-profile.ts'
import { forkActivations } from '../../chain/genesis/fork-activations.ts'
import type { Genesis } from '../../chain/genesis/genesis.ts'
import type { L1Settings } from '../../chain/system-transactions/simulated-l1.ts'
import { codeSizeLimit } from '../../chain/transaction/transaction-limits.ts'
import type { ChainFork } from '../../fork/chain-fork.ts'
import type { PoolOptions } from '../../pool/options.ts'
import type { Clock } from '../core/clock.ts'
import type { openDataDirectory } from '../core/data-directory.ts'
import type { WorkMeter } from '../core/work-meter.ts'
import type { MiningMode } from '../development/mining-mode.ts'
import type { SenderRecovery } from '../intake/sender-recovery.ts'
import type { L1Chain } from '../layer1/l1-chain.ts'
import type { StreamSettings } from '../log/record-source.ts'
import type { Schedule } from '../production/building/schedule.ts'
import type { ForkedGenesis } from '../production/leader-snapshots.ts'
import type { Gathering } from '../store/block-writer.ts'
import type { TrieThread, TrieThreadData } from '../tries/start-trie-thread.ts'

/** Settings of a node in any role. */
export interface NodeSettings {
  readonly genesis: Genesis
  /** Data directory; `undefined`: a temporary directory that is deleted at the end. */
  readonly directory: string | undefined
  /** Blocks below the newest one whose state is retained. */
  readonly history: number | 'all'
  /** Blocks whose records are retained. */
  readonly replayBlocks: number
  /** Minimum bytes of the newest records that are retained. Default: 0. */
  readonly replayWindowBytes?: number
  /** Bytes per second of a check of the stored data that repeats. Default: 0, none. */
  readonly scrubBytesPerSecond?: number
  /** Sealed blocks that may wait for the store. */
  readonly maxBlocksBehind: number
  /** Blocks for which a commit waits. Default: it does not wait. */
  readonly gathering?: Gathering | undefined
}

/** Settings of a node that can become leader. */
export interface LeaderSettings {
  readonly schedule: Schedule
  /** Gas limit of each block; on layer 1 the target of the gas limit. */
  readonly gasLimit: bigint
  /** `false`: no blocks are built, and transactions stay in the pool. Default: true. */
  readonly sequencing?: boolean
  /** Share of a flashblock interval for execution, 0 to 1. */
  readonly timeBudget: number
  /** Blocks between latest and finalized, of 200 ms where Denim is scheduled. */
  readonly finalityDepth: number
  readonly pool: PoolOptions
  /** Default: flashblocks on schedule. */
  readonly mining?: MiningMode | undefined
  /** Prices of layer 1, where blocks have its attributes. Default: `DEFAULT_L1_SETTINGS`. */
  readonly l1?: L1Settings | undefined
  /** The layer 1 that is followed. Default: it is simulated. */
  readonly l1Chain?: L1Chain | undefined
}

export interface NodeDeps {
  readonly clock: Clock
  readonly log: Logger
  /** Yields to the event loop. Default: a microtask. */
  readonly yieldTurn?: () => Promise<void>
  readonly meter?: WorkMeter
  /** Default: the calling thread. */
  readonly senders?: SenderRecovery
  /** Starts a thread for the state trie of blocks built by this node. Default: the sequencer's thread applies diffs. */
  readonly startTrieThread?: ((data: TrieThreadData) => TrieThread) | undefined
  /** The chain of another node on which this one begins. The node owns it. Default: it begins with block 0. */
  readonly fork?: ChainFork | undefined
  /** Parameters of the chain on a block of `fork`, which a reset to another block needs. Present with `fork`. */
  readonly forkedGenesis?: ((fork: ChainFork) => Promise<ForkedGenesis>) | undefined
  /**
   * Whether a leader applies each of its records once more as followers do, and fails if that gives another chain. For
   * tests, and for the search of faults. Default: false.
   */
  readonly checksRecords?: boolean
  /** File system. Default: the real one. */
  readonly openDirectory?: typeof openDataDirectory
  /** Aborts opening while it waits for the replicated log or for the first head. */
  readonly signal?: AbortSignal
}

/** The leader's settings that followers show or need. */
export function streamSettingsOf(
  { schedule, gasLimit, finalityDepth }: LeaderSettings,
  config: ChainConfig,
): StreamSettings {
  const { blockTimeMs, slots } = schedule
  const limit = codeSizeLimit(config)
  const profile = chainProfile(config)
  const denim = config.layer2?.denim
  return {
    blockTime: blockTimeMs,
    slots,
    gasLimit,
    finalityDepth,
    ...(limit !== MAX_CODE_SIZE && { codeSizeLimit: limit }),
    ...(profile !== DEFAULT_PROFILE && { profile }),
    ...(denim && { denimTime: Number(denim.denimTime) }),
    forks: forkActivations(config),
  }
}
