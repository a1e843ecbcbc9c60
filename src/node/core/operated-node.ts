import type { PoolCounts } from '../../pool/pool.ts'
import type { PublishingCondition } from '../log/replicated-log.ts'
import type { SequencerCounts } from '../roles/leader/sequencer.ts'
import type { RecordStream } from '../streaming/record-stream.ts'
import type { NodeService } from './node-service.ts'

/** Where a follower on this machine begins (`HeadFollower`). */
export interface FollowedSource {
  readonly directory: string
  readonly from: number
}

/** A node as whoever runs it sees it, whether it sequences or follows. */
export interface OperatedNode extends NodeService {
  /** Blocks between latest and finalized. */
  readonly finalityDepth: number
  readonly counts: SequencerCounts
  /** Waiting transactions, ready ones and those behind a nonce gap. */
  readonly poolCounts: PoolCounts
  /** Whether something that the node cannot go on without has failed. */
  readonly hasFailed: boolean
  /** What replicas follow; absent where another process has it. */
  readonly records: RecordStream | undefined
  /** Of the log that it publishes its records to, if there is one. */
  readonly publishing?: PublishingCondition | undefined
  /** Bytes that the data directory takes on disk; `undefined`: another process says it. */
  diskBytes(): Promise<number | undefined>
  /** What leads to the present head, for a follower on this machine. */
  followed(): FollowedSource & { readonly to: number }
  /** The node answers nothing after this. */
  stop(): Promise<void>
}
