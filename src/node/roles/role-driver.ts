import type { PoolTransaction } from '../../chain/transaction/transaction.ts'
import type { Address, Bytes } from '../../primitives/hex.ts'
import type { MaybePromise } from '../../primitives/maybe-promise.ts'
import type { Snapshot } from '../../state/snapshot.ts'
import type { StateTrie } from '../../state/trie/state-trie.ts'
import type { SetHeadResult, SubmitResult } from '../core/results.ts'
import type { Development } from '../development/development.ts'
import type { RecordedPool } from '../intake/unacknowledged-pool.ts'
import type { LeaderReply, LeaderRequest, StreamSettings } from '../log/record-source.ts'
import type { PublishingCondition } from '../log/replicated-log.ts'
import type { RemovedTransaction } from '../view/current-view.ts'
import type { FlashblockCounts } from '../view/events.ts'
import type { View } from '../view/view.ts'
import type { FailoverStatus } from './failover/next-role.ts'
import type { FollowingProgress } from './node-handle.ts'

/** Behaviour of a node that depends on its role. */
export interface RoleDriver {
  /** @throws Error if no node has been followed yet */
  readonly settings: () => StreamSettings
  readonly counts: FlashblockCounts
  readonly publishing?: PublishingCondition | undefined
  readonly following?: FollowingProgress | undefined
  readonly failover?: FailoverStatus | undefined
  readonly development?: Development | undefined
  /** Whether the leader builds blocks on demand, as far as it is known. Absent: another process knows. */
  readonly isOnDemand?: boolean | undefined
  submit(raw: Bytes, from?: Address): Promise<SubmitResult>
  setHead(number: number): Promise<SetHeadResult>
  /** Absent where blocks are always built on schedule, and where another process builds them. */
  forecast?(view: View): MaybePromise<View>
  /** Absent on a node that leads. @throws ReplicaError */
  forward?(request: LeaderRequest): Promise<LeaderReply>
  /** Answers requests that followers forward through the replicated log. Absent where followers cannot do so. */
  answerRequests?(answer: (request: LeaderRequest) => Promise<LeaderReply>): void
  shownEverywhere?(sequence: number): Promise<void>
  idle(): Promise<void>
  /** Releases everything, including the data directory. */
  stop(): Promise<void>
  /** The pool as of a record. */
  poolAsOf?(sequence: number): RecordedPool
  isRestoring?(): boolean
  /** Transactions for the next pool checkpoint; `undefined`: another node writes the records. */
  waiting?(): readonly PoolTransaction[] | undefined
  /** Called with dropped transactions before event listeners run. */
  onDropped?(left: readonly RemovedTransaction[]): void
  /** Called when more blocks are stored; the driver owns the snapshot. */
  rebase(base: Snapshot, baseTrie: StateTrie): void
  /** Stops building blocks. */
  halt?(): void
}
