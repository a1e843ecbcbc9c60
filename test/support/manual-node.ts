import { type Logger, pino } from 'pino'
import type { Genesis } from '../../src/chain/genesis/genesis.ts'
import { createNetwork, type NetworkOptions } from '../../src/chain/genesis/networks.ts'
import type { L1Settings } from '../../src/chain/system-transactions/simulated-l1.ts'
import type { PoolTransaction } from '../../src/chain/transaction/transaction.ts'
import type { ChainFork } from '../../src/fork/chain-fork.ts'
import { openDataDirectory } from '../../src/node/core/data-directory.ts'
import type { DevelopmentSettings } from '../../src/node/development/development.ts'
import type { L1Chain } from '../../src/node/layer1/l1-chain.ts'
import type { ReplicatedLogBackend } from '../../src/node/log/replicated-log.ts'
import { createSchedule, type Schedule } from '../../src/node/production/building/schedule.ts'
import type { SoloHandle } from '../../src/node/roles/node-handle.ts'
import type { NodeDeps } from '../../src/node/roles/node-settings.ts'
import { openNode } from '../../src/node/roles/open-node.ts'
import type { TrieThread, TrieThreadData } from '../../src/node/tries/start-trie-thread.ts'
import { DEFAULT_POOL_OPTIONS, type PoolOptions } from '../../src/pool/options.ts'
import { ManualClock } from './manual-clock.ts'

/** Default limits of `eth_call`, for reads of the stock service. */
export const READ_LIMITS = { callGasCap: 50_000_000n, callTimeoutMs: 5_000, proofWindowSeconds: 3_600 }

export interface ManualNode {
  readonly node: SoloHandle
  readonly clock: ManualClock
  /** Advances to the next flashblock and waits until it is announced. */
  nextFlashblock(): Promise<void>
  /** Advances until the open block is sealed. */
  nextBlock(): Promise<void>
}

/** A real node on a manual clock. Wall clock 2026-01-01 at the start. */
export async function startManualNode(
  options: {
    readonly network?: NetworkOptions
    /** Replaces `network`. */
    readonly genesis?: Genesis
    readonly sequencing?: boolean
    /** Operations of a development node; none by default. */
    readonly development?: DevelopmentSettings | undefined
    readonly pool?: Partial<PoolOptions>
    /** Prices of layer 1; the default ones by default. */
    readonly l1?: L1Settings
    /** The layer 1 that is followed; a simulated one by default. */
    readonly l1Chain?: L1Chain
    readonly schedule?: Schedule
    /** Data directory; a temporary one by default. */
    readonly directory?: string
    readonly history?: number
    readonly finalityDepth?: number
    readonly replayBlocks?: number
    /** Bytes of a record file. */
    readonly segmentBytes?: number
    readonly replicatedLog?: ReplicatedLogBackend
    /** Shared by consecutive nodes; a new one by default. */
    readonly clock?: ManualClock
    /** Called on every yield; does nothing by default. */
    readonly yieldTurn?: () => Promise<void>
    /** Applies diffs to the state trie instead of the node's thread. */
    readonly startTrieThread?: (data: TrieThreadData) => TrieThread
    /** Replaces the real disk. */
    readonly openDirectory?: typeof openDataDirectory
    /** The chain on which it begins; pass its `genesis`, too. */
    readonly fork?: ChainFork
    readonly forkedGenesis?: NodeDeps['forkedGenesis']
    /** Default: warnings, to standard error. */
    readonly log?: Logger
  } = {},
): Promise<ManualNode> {
  const clock = options.clock ?? new ManualClock({ wall: Date.UTC(2026, 0, 1) })
  const genesis = options.genesis ?? createNetwork(options.network).genesis
  const node = await openNode(
    {
      genesis,
      directory: options.directory,
      history: options.history ?? 'all',
      replayBlocks: options.replayBlocks ?? 64,
      maxBlocksBehind: 8,
    },
    {
      kind: 'solo',
      replicatedLog: options.replicatedLog,
      development: options.development,
      leading: {
        schedule: options.schedule ?? createSchedule(2000, 200),
        gasLimit: genesis.header.gasLimit,
        ...(options.sequencing !== undefined && { sequencing: options.sequencing }),
        timeBudget: 0.6,
        finalityDepth: options.finalityDepth ?? 64,
        pool: { ...DEFAULT_POOL_OPTIONS, ...options.pool },
        l1: options.l1,
        l1Chain: options.l1Chain,
      },
    },
    {
      clock,
      checksRecords: true,
      log: options.log ?? pino({ level: 'warn' }, pino.destination(2)),
      fork: options.fork,
      forkedGenesis: options.forkedGenesis,
      ...(options.yieldTurn && { yieldTurn: options.yieldTurn }),
      startTrieThread: options.startTrieThread,
      ...(options.openDirectory && { openDirectory: options.openDirectory }),
      ...(options.segmentBytes !== undefined && {
        openDirectory: (directory) => openDataDirectory({ ...directory, segmentBytes: options.segmentBytes! }),
      }),
    },
  )
  const nextFlashblock = async () => {
    const { next } = clock
    if (next === undefined) throw new Error('nothing is scheduled: the sequencer stands still')
    clock.moveTo(next)
    await node.idle()
  }
  return {
    node,
    clock,
    nextFlashblock,
    async nextBlock() {
      const { latest } = node.view().head.sealed
      while (node.view().head.sealed.latest === latest) await nextFlashblock()
    },
  }
}

/** Pool transactions, acknowledged or not, that are in no flashblock yet. */
export function pendingAt({ replication }: Pick<SoloHandle, 'replication'>): readonly PoolTransaction[] {
  return replication.poolAsOf(Number.POSITIVE_INFINITY).waiting
}
