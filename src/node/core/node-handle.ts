import type { ChainConfig } from '../../chain/forks/chain-config.ts'
import type { PoolTransaction } from '../../chain/transaction/transaction.ts'
import type { Engine } from '../../engine/types.ts'
import type { PoolCounts } from '../../pool/pool.ts'
import type { PoolRefusal } from '../../pool/types.ts'
import type { Address, Bytes, Hash } from '../../primitives/hex.ts'
import type { PublishingCondition } from '../log/replicated-log.ts'
import type { SequencerCounts } from '../roles/leader/sequencer.ts'
import type { RecordStream } from '../streaming/record-stream.ts'
import type { NodeEventEmitter } from './events.ts'
import type { View } from './view.ts'

/** Why a sent transaction did not enter the pool; the texts are the server's. */
export type SubmitRefusal =
  | PoolRefusal
  | { readonly code: 'UNDECODABLE'; readonly reason: string }
  | { readonly code: 'INVALID_SIGNATURE'; readonly reason: string }
  /** As many blobs as may wait for their proofs to be checked do; the transaction was not looked at. */
  | { readonly code: 'TOO_MANY_BLOBS'; readonly limit: number }

export type SubmitResult =
  /** `sequence`: of the record that holds it. */
  | { readonly kind: 'accepted'; readonly transaction: PoolTransaction; readonly sequence: number }
  | { readonly kind: 'refused'; readonly hash: Hash | undefined; readonly refusal: SubmitRefusal }

/** Why the chain was not unwound; it is as it was. */
export type SetHeadResult =
  | { readonly kind: 'unwound' }
  | { readonly kind: 'refused'; readonly refusal: SetHeadRefusal }

export type SetHeadRefusal =
  | { readonly code: 'ABOVE_LATEST'; readonly number: number; readonly latest: number }
  | { readonly code: 'BELOW_FINALIZED'; readonly number: number; readonly finalized: number }
  /** `oldest`: the oldest block whose state is kept. */
  | { readonly code: 'STATE_PRUNED'; readonly number: number; readonly oldest: number }

/** All that a serving layer sees of a node. */
export interface ServedNode {
  readonly config: ChainConfig
  readonly events: NodeEventEmitter
  /** For calls, estimates and simulations; the sequencer has its own. */
  readonly engine: Engine
  /** The chain and the pool now. Taken once per request (or batch); handlers get it, they do not take it. */
  view(): View
  /**
   * Decodes, recovers the sender, and offers the transaction to the pool.
   *
   * @param from the sender, where another process of this node has recovered it: it is believed
   */
  submit(raw: Bytes, from?: Address): Promise<SubmitResult>
  /** Settles when every process that answers this node's clients shows a record; absent where there is one such process. */
  shownEverywhere?(sequence: number): Promise<void>
  /** Takes back every block above `number`; later ones replace them. Their transactions do not return to the pool. */
  setHead(number: number): Promise<SetHeadResult>
  /** From one sealed block to the next. */
  readonly blockTimeMs: number
  /** Flashblocks of a block, the opening one besides. */
  readonly slots: number
  /** Gas of each block; on layer 1 what it moves towards. */
  readonly gasLimit: bigint
}

/** Where a follower on this machine begins (`HeadFollower`). */
export interface FollowedSource {
  readonly directory: string
  readonly from: number
}

/** A node as whoever runs it sees it, whether it sequences or follows. */
export interface NodeHandle extends ServedNode {
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
