import type { ChainConfig } from '../../chain/forks/chain-config.ts'
import type { Engine } from '../../engine/types.ts'
import type { PoolCounts } from '../../pool/pool.ts'
import type { Address, Bytes } from '../../primitives/hex.ts'
import type { ChainStore } from '../../state/chain-store/chain-store.ts'
import type { RecordedPool } from '../intake/unacknowledged-pool.ts'
import type { RecordLog } from '../log/record-log.ts'
import type { StreamIdentity, StreamSettings } from '../log/record-source.ts'
import type { PublishingCondition } from '../log/replicated-log.ts'
import type { FailoverStatus } from '../roles/failover/next-role.ts'
import type { FollowingStatus } from '../roles/follower/source-follower.ts'
import type { NodeEventEmitter } from './events.ts'
import type { SetHeadResult, SubmitResult } from './results.ts'
import type { View } from './view.ts'

/** The part of a node that request handlers use. */
export interface ServedNode {
  readonly config: ChainConfig
  readonly events: NodeEventEmitter
  /** For calls, estimates and simulations; the sequencer has its own. */
  readonly engine: Engine
  /** The chain and the pool now. Taken once per request or batch; handlers are given it and do not take another. */
  view(): View
  /**
   * Decodes a transaction, recovers its sender, and offers it to the pool of the node that leads.
   *
   * @param from the sender, if another process of this node has recovered it; it is trusted
   */
  submit(raw: Bytes, from?: Address): Promise<SubmitResult>
  /** Resolves when every process that serves this node's clients shows a record. Absent: one process serves them. */
  shownEverywhere?(sequence: number): Promise<void>
  /** Unwinds every block above `number`; later blocks replace them. Their transactions do not return to the pool. */
  setHead(number: number): Promise<SetHeadResult>
  /** From one sealed block to the next. */
  readonly blockTimeMs: number
  /** Flashblocks of a block, not counting the one that opens it. */
  readonly slots: number
  /** Gas limit of each block; on layer 1 the target it moves towards. */
  readonly gasLimit: bigint
}

/** Flashblocks made or applied since the start, and slots that passed unused. */
export interface FlashblockCounts {
  readonly flashblocks: number
  readonly missedSlots: number
}

/** The first record that another thread or process of this machine replays, and the one that the head shows. */
export interface LogPosition {
  readonly directory: string
  readonly from: number
  readonly to: number
}

/** What a node that owns its record log gives to those that follow it. */
export interface ReplicationAccess {
  readonly identity: StreamIdentity
  /** Settings of the node that leads; a replica may learn others. */
  readonly settings: () => StreamSettings
  readonly records: RecordLog
  readonly chain: Pick<ChainStore, 'snapshot'>
  readonly view: () => View
  /** The pool as the records up to one of them say. */
  readonly poolAsOf: (sequence: number) => RecordedPool
  readonly submit: (raw: Bytes, from?: Address) => Promise<SubmitResult>
  /** Whether the store is being replaced by a snapshot: there is nothing to follow then. */
  readonly isRestoring: () => boolean
}

/** How far a node is behind the one that it follows. */
export interface FollowingProgress extends FollowingStatus {
  /** The newest applied record. */
  readonly sequence: number
  /** Records that came more than once. */
  readonly duplicates: number
}

/** A running node of any role. Optional members are capabilities that not every role has. */
export interface NodeHandle extends ServedNode {
  /** Blocks between latest and finalized. */
  readonly finalityDepth: number
  readonly counts: FlashblockCounts
  readonly poolCounts: PoolCounts
  /** Whether something failed that the node cannot go on without. */
  readonly hasFailed: boolean
  /** Where a thread or process that shares the directory starts its replay. */
  logPosition(): LogPosition
  /** Resolves when the flashblock in progress is announced and all sealed blocks are in the store. */
  idle(): Promise<void>
  /** The handle is of no use afterwards. */
  stop(): Promise<void>
  /** Absent where another process owns the record log. */
  readonly replication?: ReplicationAccess | undefined
  /** Size of the data directory. Absent where another process owns it. */
  diskBytes?(): Promise<number>
  /** State of publishing to the replicated log. Absent without one, and while the node does not lead. */
  readonly publishing?: PublishingCondition | undefined
  /** Absent while a node leads. */
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
/** A node that leads while it has the lease, and follows otherwise. */
export type FailoverHandle = With<'replication' | 'diskBytes' | 'failover'>
/** A process that reads the store of a node on the same machine. */
export type ReaderHandle = With<'shownEverywhere'>
