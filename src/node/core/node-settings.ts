import type { Logger } from 'pino'
import type { Genesis } from '../../chain/genesis/genesis.ts'
import type { PoolOptions } from '../../pool/options.ts'
import type { SenderRecovery } from '../intake/sender-recovery.ts'
import type { StreamSettings } from '../log/record-source.ts'
import type { Schedule } from '../roles/leader/schedule.ts'
import type { TrieThread, TrieThreadData } from '../tries/start-trie-thread.ts'
import type { Clock } from './clock.ts'
import type { openDataDirectory } from './data-directory.ts'

/** Settings of a node in any role. */
export interface NodeSettings {
  readonly genesis: Genesis
  /** Where the chain is kept; `undefined`: a temporary directory that is deleted at the end. */
  readonly directory: string | undefined
  /** Blocks below the newest whose state stays readable. */
  readonly history: number | 'all'
  /** Blocks whose records are kept. */
  readonly replayBlocks: number
  /** Size of the newest records that are kept at least. Default: 0. */
  readonly replayBytes?: number
  /** Sealed blocks that may wait for the store. */
  readonly maxBlocksBehind: number
}

/** Settings of a node that makes blocks, or may. */
export interface LeaderSettings {
  readonly schedule: Schedule
  /** Gas limit of each block; on layer 1 the target it moves towards. */
  readonly gasLimit: bigint
  /** `false`: no blocks are made, and transactions wait in the pool. Default: true. */
  readonly sequencing?: boolean
  /** Share of a flashblock interval that execution may take, 0 to 1. */
  readonly timeBudget: number
  /** Blocks between latest and finalized. */
  readonly finalityDepth: number
  readonly pool: PoolOptions
}

export interface NodeDeps {
  readonly clock: Clock
  readonly log: Logger
  /** Lets the event loop run other work. Default: a microtask. */
  readonly yieldTurn?: () => Promise<void>
  readonly meter?: WorkMeter
  /** Default: on the calling thread. */
  readonly senders?: SenderRecovery
  /** Starts a thread for the state trie of blocks that are made here. Default: the sequencer's thread applies diffs. */
  readonly startTrieThread?: ((data: TrieThreadData) => TrieThread) | undefined
  /** The disk. Default: the real one. */
  readonly openDirectory?: typeof openDataDirectory
  /** Aborts the opening while it waits for the replicated log or for the first head. */
  readonly signal?: AbortSignal
}

/** The settings that followers of a leader show or need. */
export function streamSettingsOf({ schedule, gasLimit, finalityDepth }: LeaderSettings): StreamSettings {
  const { blockTimeMs, slots } = schedule
  return { blockTime: blockTimeMs, slots, gasLimit, finalityDepth }
}

/**
 * What the node's time is spent on: `lateness` of the work on a slot, building a flashblock (`build`), recording and
 * showing it (`announce`), sealing a block and opening the next (`seal`), writing a block into the store (`commit`).
 */
export type WorkStep = 'lateness' | 'build' | 'announce' | 'seal' | 'commit'

/** Called with the duration of a step, in milliseconds. */
export type WorkMeter = (step: WorkStep, milliseconds: number) => void
