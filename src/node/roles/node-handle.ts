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

/** What request handlers can use on a node of any role. */
export interface ServedChain {
  readonly config: ChainConfig
  readonly events: NodeEventEmitter
  /** For calls, estimates and simulations; the sequencer has its own. */
  readonly engine: Engine
  /** The current chain and pool. A request or batch captures it once; handlers receive it and capture no other. */
  view(): View
  /**
   * Decodes a transaction, recovers its sender, and submits it to the pool of the leader.
   *
   * @param from the sender if another process of this node has recovered it; it is trusted
   */
  submit(raw: Bytes, from?: Address): Promise<SubmitResult>
  /** Unwinds all blocks above `number`; later blocks replace them. Their transactions do not return to the pool. */
  setHead(number: number): Promise<SetHeadResult>
  /** Damage to the database, as far as it is known. */
  readonly damage: NodeDamage | undefined
  /** Milliseconds between sealed blocks. */
  readonly blockTimeMs: number
  /** Flashblocks per block, without index 0. */
  readonly slots: number
  /** Gas limit of each block; on layer 1 the target of the gas limit. */
  readonly gasLimit: bigint
  /** Whether the leader builds blocks on demand, so that their age says nothing, as far as it is known. */
  readonly isOnDemand: boolean
}

/** A node that always leads. */
export interface ServedSolo extends ServedChain {
  readonly role: 'solo'
  /** Operations of a development node. `undefined`: it was opened without them. */
  readonly development: Development | undefined
  /**
   * The view whose pending block is the one that would be mined now, from the pool (ADR 0017); while blocks are built
   * on schedule, the same view. The caller retains `view` for as long as it uses the result. `undefined`: blocks are
   * always built on schedule.
   */
  readonly forecast: ((view: View) => MaybePromise<View>) | undefined
  /** The chain of another node on which this one begins. */
  readonly fork:
    | Pick<ChainFork, 'status' | 'setUrls' | 'openAt' | 'prefetcher' | 'waitLimitMs' | 'waitError'>
    | undefined
}

/** A node that leads while it holds the lease. */
interface ServedFailover extends ServedChain {
  readonly role: 'failover'
}

interface ForwardsRequests {
  /**
   * Forwards a request to the leader, and resolves when this process shows its effects.
   *
   * @throws ReplicaError
   */
  forward(request: LeaderRequest): Promise<LeaderReply>
}

/** A node that never leads. */
interface ServedReplica extends ServedChain, ForwardsRequests {
  readonly role: 'replica'
}

/** A process that reads the store of another process on the same machine. */
interface ServedReader extends ServedChain, ForwardsRequests {
  readonly role: 'reader'
  /** Resolves when all serving processes of this node have applied a record. */
  shownEverywhere(sequence: number): Promise<void>
}

/** A thread that runs requests on views which it is given: it has no current view and submits nothing. */
interface ServedThread extends ServedChain {
  readonly role: 'thread'
}

/** A node as request handlers see it. Its role says what it can do. */
export type ServedNode = ServedSolo | ServedFailover | ServedReplica | ServedReader | ServedThread

/** Operations of a development node; `undefined` unless this process leads and was opened with them. */
export function developmentOf(node: ServedNode): Development | undefined {
  return node.role === 'solo' ? node.development : undefined
}

/** See `ServedSolo.fork`. */
export function chainForkOf(node: ServedNode): ServedSolo['fork'] {
  return node.role === 'solo' ? node.fork : undefined
}

/** See `ServedSolo.forecast`; `undefined` also where another process builds the blocks. */
export function forecastOf(node: ServedNode): ServedSolo['forecast'] {
  return node.role === 'solo' ? node.forecast : undefined
}

/** How this process forwards requests to the leader; `undefined` on a node that leads. */
export function forwardingOf(node: ServedNode): ForwardsRequests | undefined {
  return node.role === 'replica' || node.role === 'reader' ? node : undefined
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
  /** Whether store and records are being replaced, so that there is nothing to follow. */
  readonly isReplacing: () => boolean
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

/** What operators see of a running node of any role. */
export interface RunningChain {
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
}

/** A node that owns its data directory and its record log. */
export interface OwnedChain extends RunningChain {
  readonly replication: ReplicationAccess
  /** Size of the data directory. */
  diskBytes(): Promise<number>
}

/** A node that always leads. */
export interface SoloHandle extends ServedSolo, OwnedChain {
  /** State of publishing to the replicated log. `undefined`: there is none. */
  readonly publishing: PublishingCondition | undefined
}

/** A node that never leads. */
export interface ReplicaHandle extends ServedReplica, OwnedChain {
  readonly following: FollowingProgress
}

/** A node that leads while it holds the lease, and follows otherwise. */
export interface FailoverHandle extends ServedFailover, OwnedChain {
  readonly failover: FailoverStatus
  /** State of publishing to the replicated log. `undefined` while another node leads. */
  readonly publishing: PublishingCondition | undefined
  /** `undefined` while this node leads. */
  readonly following: FollowingProgress | undefined
}

/** A process that reads the store of another process on the same machine. */
export interface ReaderHandle extends ServedReader, RunningChain {}

/** A running node. Its role says what it can do. */
export type NodeHandle = SoloHandle | ReplicaHandle | FailoverHandle | ReaderHandle
