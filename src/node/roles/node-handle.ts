import type { ChainConfig } from '../../chain/forks/chain-config.ts'
import type { Engine } from '../../engine/types.ts'
import type { ChainFork } from '../../fork/chain-fork.ts'
import type { PoolCounts } from '../../pool/pool.ts'
import type { Address, Bytes } from '../../primitives/hex.ts'
import type { MaybePromise } from '../../primitives/maybe-promise.ts'
import type { ChainStore } from '../../state/chain-store/chain-store.ts'
import type { NodeDamage } from '../core/damaged-data.ts'
import type { SetHeadResult, SubmitResult } from '../core/results.ts'
import type { Development } from '../development/development.ts'
import type { FollowingStatus } from '../following/source-follower.ts'
import type { RecordedPool } from '../intake/unacknowledged-pool.ts'
import type { RecordLog } from '../log/record-log.ts'
import type { LeaderReply, LeaderRequest, StreamIdentity, StreamSettings } from '../log/record-source.ts'
import type { PublishingCondition } from '../log/replicated-log.ts'
import type { FlashblockCounts, NodeEventEmitter } from '../view/events.ts'
import type { View } from '../view/view.ts'
import type { FailoverStatus } from './failover/next-role.ts'

/** The part of a node that request handlers use. */
export interface ServedNode {
  readonly config: ChainConfig
  readonly events: NodeEventEmitter
  /** For calls, estimates and simulations; the sequencer has its own. */
  readonly engine: Engine
  /** The current chain and pool. A request or batch captures it once; handlers receive it and capture no other. */
  view(): View
  /**
   * The view whose pending block is the one that would be mined now, from the pool (ADR 0017); while blocks are built
   * on schedule, the same view. The caller retains `view` for as long as it uses the result. Absent where blocks are
   * always built on schedule, and where another process builds them.
   */
  forecast?(view: View): MaybePromise<View>
  /**
   * Decodes a transaction, recovers its sender, and submits it to the pool of the leader.
   *
   * @param from the sender if another process of this node has recovered it; it is trusted
   */
  submit(raw: Bytes, from?: Address): Promise<SubmitResult>
  /** Resolves when all serving processes of this node have applied a record. Absent: a single process serves. */
  shownEverywhere?(sequence: number): Promise<void>
  /** Unwinds all blocks above `number`; later blocks replace them. Their transactions do not return to the pool. */
  setHead(number: number): Promise<SetHeadResult>
  /** Damage to the database, as far as it is known. */
  readonly damage?: NodeDamage | undefined
  /** Milliseconds between sealed blocks. */
  readonly blockTimeMs: number
  /** Flashblocks per block, without index 0. */
  readonly slots: number
  /** Gas limit of each block; on layer 1 the target of the gas limit. */
  readonly gasLimit: bigint
  /**
   * Forwards a request to the leader, and resolves when this process shows its effects. Absent on a node that leads.
   *
   * @throws ReplicaError
   */
  forward?(request: LeaderRequest): Promise<LeaderReply>
  /** The chain of another node on which this one begins. Absent without a fork. */
  readonly fork?:
    | Pick<ChainFork, 'status' | 'setUrls' | 'openAt' | 'prefetcher' | 'waitLimitMs' | 'waitError'>
    | undefined
  /** Operations of a development node. Absent unless this process leads and was opened with them. */
  readonly development?: Development | undefined
  /** Whether the leader builds blocks on demand, so that their age says nothing. `undefined`: another process knows. */
  readonly isOnDemand?: boolean | undefined
}

/** The first record that another thread or process of this machine replays, and the newest one in the head. */
export interface LogPosition {
  readonly directory: string
  readonly from: number
  readonly to: number
}

/** Interface for followers of a node that owns its record log. */
export interface ReplicationAccess {
  readonly identity: StreamIdentity
  /** Settings of the leader; on a replica they may change. */
  readonly settings: () => StreamSettings
  readonly records: RecordLog
  readonly chain: Pick<ChainStore, 'snapshot'>
  readonly view: () => View
  /** The pool as of a record. */
  readonly poolAsOf: (sequence: number) => RecordedPool
  readonly submit: (raw: Bytes, from?: Address) => Promise<SubmitResult>
  /** Answers requests that followers forward through the replicated log. */
  readonly answerRequests: (answer: (request: LeaderRequest) => Promise<LeaderReply>) => void
  /** Whether a snapshot replaces the store, so that there is nothing to follow. */
  readonly isRestoring: () => boolean
  /** Whether the leader builds blocks on demand, as far as it is known. */
  readonly isOnDemand: () => boolean
}

/** How far a node is behind its source. */
export interface FollowingProgress extends FollowingStatus {
  /** The newest applied record. */
  readonly sequence: number
  /** Number of records received more than once. */
  readonly duplicates: number
}

/** A running node of any role. Optional members are capabilities that not every role has. */
export interface NodeHandle extends ServedNode {
  /** Blocks between latest and finalized. */
  readonly finalityDepth: number
  readonly counts: FlashblockCounts
  readonly poolCounts: PoolCounts
  /** Whether the node failed and must stop. */
  readonly hasFailed: boolean
  /** Where a thread or process that shares the directory starts its replay. */
  logPosition(): LogPosition
  /** Resolves when the flashblock in progress is announced and all sealed blocks are stored. */
  idle(): Promise<void>
  /** Stops the node; the handle must not be used afterwards. */
  stop(): Promise<void>
  /** Absent if another process owns the record log. */
  readonly replication?: ReplicationAccess | undefined
  /** Size of the data directory. Absent if another process owns it. */
  diskBytes?(): Promise<number>
  /** State of publishing to the replicated log. Absent without one, and while the node is not leader. */
  readonly publishing?: PublishingCondition | undefined
  /** Absent while the node leads. */
  readonly following?: FollowingProgress | undefined
  /** Absent on a node whose role never changes. */
  readonly failover?: FailoverStatus | undefined
}

type With<Capability extends keyof NodeHandle> = NodeHandle & {
  readonly [Name in Capability]-?: Exclude<NodeHandle[Name], undefined>
}

/** A node that always leads. */
export type SoloHandle = With<'replication' | 'diskBytes'>
/** A node that never leads. */
export type ReplicaHandle = With<'replication' | 'diskBytes' | 'following'>
/** A node that leads while it holds the lease, and follows otherwise. */
export type FailoverHandle = With<'replication' | 'diskBytes' | 'failover'>
/** A process that reads the store of another process on the same machine. */
export type ReaderHandle = With<'shownEverywhere'>
