import type { ChainConfig } from '../chain/chain-config.ts'
import type { BlobTransaction, PoolTransaction } from '../chain/transaction.ts'
import { sidecarProofFaults } from '../engine/blobs/verify-sidecar.ts'
import type { Engine } from '../engine/types.ts'
import type { PoolCounts } from '../pool/pool.ts'
import { entryAt } from '../pool/sender-queue.ts'
import type { Address, Bytes } from '../primitives/hex.ts'
import type { CurrentView, LeftTransaction } from './current-view.ts'
import type { NodeEventEmitter } from './events.ts'
import type { Journal } from './journal.ts'
import type { SetHeadResult, SubmitRefusal, SubmitResult } from './node-service.ts'
import type { FollowedSource, OperatedNode } from './operated-node.ts'
import type { RecordStream } from './replica/record-stream.ts'
import type { SenderRecovery } from './sender-recovery.ts'
import type { SequencerCounts } from './sequencer.ts'
import type { PublishingCondition } from './shared-log/shared-log.ts'
import { receiveTransaction } from './submission.ts'
import { type RecordedPool, UnsettledPool } from './unsettled-pool.ts'
import type { View } from './view.ts'

export interface NodeOptions {
  readonly config: ChainConfig
  /** Milliseconds. */
  readonly blockTime: number
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

/** Something that the node cannot go on without has failed before. */
export class NodeFailedError extends Error {
  readonly code = 'NODE_FAILED'
  override readonly name = 'NodeFailedError'
}

/** A node that sequences: the chain and the pool as serving layers see them, and what they may ask of it. */
export class Node implements OperatedNode {
  readonly config: ChainConfig
  readonly engine: Engine
  readonly events: NodeEventEmitter
  readonly blockTime: number
  readonly slots: number
  readonly gasLimit: bigint
  readonly finalityDepth: number
  readonly #current: CurrentView
  readonly #journal: Journal
  readonly #senders: SenderRecovery
  readonly #operation: NodeOperation
  readonly #yieldTurn: () => Promise<void>
  readonly #unsettled = new UnsettledPool()
  /**
   * The records of what arrives, by sender and nonce. Another of the same nonce is judged when the first is in the pool: those
   * who follow demand no more of a replacement than that it is better, and would give up the first for one that is refused here.
   */
  readonly #arriving = new Map<string, Promise<number>>()
  /** What the next record will hold. */
  #unwritten: PoolTransaction[] = []
  /** The record of what is unwritten: its number, once it is durable. */
  #writing: Promise<number> | undefined

  constructor(options: NodeOptions, parts: NodeParts) {
    this.config = options.config
    this.blockTime = options.blockTime / 1000
    this.slots = options.slots
    this.gasLimit = options.gasLimit
    this.finalityDepth = options.finalityDepth
    this.engine = parts.engine
    this.#journal = parts.journal
    this.#senders = parts.senders
    this.#operation = parts.operation
    this.#yieldTurn = parts.yieldTurn
    this.#current = parts.current
    this.events = this.#current.events
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
  async submit(raw: Bytes, from?: Address): Promise<SubmitResult> {
    this.#checkUsable()
    const received = await receiveTransaction(raw, { isLayer2: this.config.layer2 !== undefined }, this.#senders, from)
    if (received.kind === 'refused') return received
    const { transaction } = received
    const { hash } = transaction
    const early = transaction.type === 3 ? await this.#blobRefusal(transaction) : undefined
    const place = `${transaction.from} ${transaction.nonce}`
    for (let other = this.#arriving.get(place); other !== undefined; other = this.#arriving.get(place)) {
      await other.catch(() => undefined)
    }
    // What failed or arrived while this one was checked counts.
    this.#checkUsable()
    if (early !== undefined) return { kind: 'refused', hash, refusal: early }
    const judgement = this.#current.judge(transaction)
    if (judgement.kind === 'refused') return { kind: 'refused', hash, refusal: judgement.refusal }
    // In no record yet.
    this.#unsettled.arrives(transaction, Number.POSITIVE_INFINITY)
    const written = this.#writeTogether(transaction)
    this.#arriving.set(place, written)
    let sequence: number
    try {
      sequence = await written
    } finally {
      this.#arriving.delete(place)
      this.#unsettled.arrived(transaction)
    }
    // Others may have come first while the disk was busy.
    const verdict = this.#current.take(transaction, judgement)
    if (verdict.kind === 'added') return { kind: 'accepted', transaction, sequence }
    // Who follows has it as waiting; of two that were the same, one does wait.
    if (verdict.refusal.code !== 'ALREADY_KNOWN') {
      this.#current.forget([{ hash, reason: { code: 'INVALID', reason: verdict.refusal.code }, transaction }])
      await this.#keep(transaction)
    }
    return { kind: 'refused', hash, refusal: verdict.refusal }
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

  /**
   * Who follows gave up what the refused transaction would have replaced: it is told again that this one waits, before the
   * client hears, since the next flashblock may be far away, and a chain that stands still has none.
   */
  async #keep({ from, nonce }: PoolTransaction): Promise<void> {
    const kept = entryAt(this.#current.view().pool.bySender(from), nonce)
    if (kept === undefined || this.hasFailed) return
    this.#journal.append({ kind: 'pool', transactions: [kept.transaction] })
    await this.#journal.sync()
  }

  /** One record and one sync for transactions that were recovered together: each goes on in the same step of the event loop. */
  #writeTogether(transaction: PoolTransaction): Promise<number> {
    this.#unwritten.push(transaction)
    this.#writing ??= new Promise<void>((resolve) => process.nextTick(resolve)).then(async () => {
      const transactions = this.#unwritten
      this.#unwritten = []
      this.#writing = undefined
      this.#checkUsable()
      const sequence = this.#journal.append({ kind: 'pool', transactions })
      for (const written of transactions) this.#unsettled.arrives(written, sequence)
      await this.#journal.sync()
      return sequence
    })
    return this.#writing
  }

  #checkUsable(): void {
    if (this.hasFailed) throw new NodeFailedError('the node has failed and accepts nothing more: see its log')
  }

  /** The proofs last: nothing else about a transaction takes so long to check. */
  async #blobRefusal(transaction: BlobTransaction & PoolTransaction): Promise<SubmitRefusal | undefined> {
    const judgement = this.#current.judge(transaction)
    if (judgement.kind === 'refused') return judgement.refusal
    const { sidecar } = transaction
    if (sidecar === undefined) return undefined
    for (const reason of sidecarProofFaults(sidecar)) {
      if (reason !== undefined) return { code: 'INVALID_BLOBS', reason }
      await this.#yieldTurn()
    }
    return undefined
  }
}
