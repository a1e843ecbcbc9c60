import type { ChainConfig } from '../../chain/forks/chain-config.ts'
import type { PoolTransaction } from '../../chain/transaction/transaction.ts'
import type { Engine } from '../../engine/types.ts'
import type { PoolCounts } from '../../pool/pool.ts'
import type { Address, Bytes } from '../../primitives/hex.ts'
import type { SenderRecovery } from '../intake/sender-recovery.ts'
import { Submissions } from '../intake/submissions.ts'
import { type RecordedPool, UnsettledPool } from '../intake/unsettled-pool.ts'
import type { Journal } from '../log/journal.ts'
import type { PublishingCondition } from '../log/replicated-log.ts'
import type { SequencerCounts } from '../roles/leader/sequencer.ts'
import type { RecordStream } from '../streaming/record-stream.ts'
import type { CurrentView, LeftTransaction } from './current-view.ts'
import type { NodeEventEmitter } from './events.ts'
import type { FollowedSource, NodeHandle, SetHeadResult, SubmitResult } from './node-handle.ts'
import type { View } from './view.ts'

export interface NodeOptions {
  readonly config: ChainConfig

  readonly blockTimeMs: number
  /** Flashblocks of a block, the opening one besides. */
  readonly slots: number
  readonly gasLimit: bigint
  /** Blocks between latest and finalized. */
  readonly finalityDepth: number
}

export interface NodeParts {
  /** For readers; the sequencer has its own. */
  readonly engine: Engine
  readonly current: CurrentView
  readonly journal: Journal
  readonly senders: SenderRecovery
  readonly operation: NodeOperation
  /** Lets others have their turn between steps of long work. */
  readonly yieldTurn: () => Promise<void>
}

/** What makes the chain go on, as the node's owner steers it. */
export interface NodeOperation {
  readonly counts: () => SequencerCounts
  readonly diskBytes: () => Promise<number>
  readonly setHead: (number: number) => Promise<SetHeadResult>
  /** The records, for those who follow. */
  readonly records: RecordStream
  /** Of a log that others share; `undefined`: there is none. */
  readonly publishing: () => PublishingCondition | undefined
  /** Where the store and the records are, and the first record of what is above block `stored`. */
  readonly source: (stored: number) => FollowedSource
  /** Settles when the flashblock that is being made is announced, and sealed blocks are in the store. */
  readonly idle: () => Promise<void>
  /** Finishes what is being made and written, and closes the data directory. */
  readonly stop: () => Promise<void>
}

/** A node that sequences: the chain and the pool as serving layers see them, and what they may ask of it. */
export class Node implements NodeHandle {
  readonly config: ChainConfig
  readonly engine: Engine
  readonly events: NodeEventEmitter
  readonly blockTimeMs: number
  readonly slots: number
  readonly gasLimit: bigint
  readonly finalityDepth: number
  readonly #current: CurrentView
  readonly #journal: Journal
  readonly #operation: NodeOperation
  readonly #unsettled = new UnsettledPool()
  readonly #submissions: Submissions

  constructor(options: NodeOptions, parts: NodeParts) {
    this.config = options.config
    this.blockTimeMs = options.blockTimeMs
    this.slots = options.slots
    this.gasLimit = options.gasLimit
    this.finalityDepth = options.finalityDepth
    this.engine = parts.engine
    this.#journal = parts.journal
    this.#operation = parts.operation
    this.#current = parts.current
    this.events = this.#current.events
    const isLayer2 = options.config.layer2 !== undefined
    const { current, journal, senders, yieldTurn } = parts
    this.#submissions = new Submissions(
      { isLayer2 },
      { current, journal, senders, yieldTurn, unsettled: this.#unsettled },
    )
  }

  get counts(): SequencerCounts {
    return this.#operation.counts()
  }

  /** Waiting transactions, ready ones and those behind a nonce gap. */
  get poolCounts(): PoolCounts {
    return this.#current.poolCounts
  }

  /** Whether something that the node cannot go on without has failed. */
  get hasFailed(): boolean {
    return this.#current.hasFailed
  }

  /** What replicas follow. */
  get records(): RecordStream {
    return this.#operation.records
  }

  get publishing(): PublishingCondition | undefined {
    return this.#operation.publishing()
  }

  /** Bytes that the data directory takes on disk. */
  diskBytes(): Promise<number> {
    return this.#operation.diskBytes()
  }

  idle(): Promise<void> {
    return this.#operation.idle()
  }

  /** What leads to the present head, for a follower. */
  followed(): FollowedSource & { readonly to: number } {
    const { base, sequence } = this.#current.head
    return { ...this.#operation.source(base.number), to: sequence }
  }

  /** The node answers nothing after this. */
  async stop(): Promise<void> {
    await this.#operation.stop()
  }

  setHead(number: number): Promise<SetHeadResult> {
    return this.#operation.setHead(number)
  }

  view(): View {
    return this.#current.view()
  }

  /** Accepted only when it is on disk: an acknowledged transaction survives (design claim 2). */
  submit(raw: Bytes, from?: Address): Promise<SubmitResult> {
    return this.#submissions.submit(raw, from)
  }

  /** Everything that was acknowledged, or will be, and is in no flashblock yet. */
  waiting(): readonly PoolTransaction[] {
    return [...this.#current.waiting(), ...this.#unsettled.arriving]
  }

  /** The pool as the records up to one say. */
  poolAsOf(sequence: number): RecordedPool {
    const pool = { waiting: this.#current.waiting(), dropped: this.#current.dropped() }
    return this.#unsettled.asOf(sequence, pool)
  }

  /** What left the pool by records after this one. */
  leftAfter(sequence: number): readonly LeftTransaction[] {
    return this.#unsettled.leftAfter(sequence)
  }

  /** Durable with the next flashblock: until then it is as if the transaction still waited. */
  journalDropped(left: readonly LeftTransaction[]): void {
    if (this.hasFailed) return
    const transactions = left.map(({ hash, reason }) => ({ hash, reason }))
    const sequence = this.#journal.append({ kind: 'drop', transactions })
    this.#unsettled.leaves({ sequence, transactions: left }, this.#journal.durableSequence)
  }

  /** The same where no record may be written any more: those who follow have these waiting. */
  leftUnwritten(transactions: readonly LeftTransaction[]): void {
    this.#unsettled.leaves({ sequence: Number.POSITIVE_INFINITY, transactions }, this.#journal.durableSequence)
  }
}
