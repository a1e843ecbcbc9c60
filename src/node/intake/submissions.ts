import type { PoolRefusal, SubmitRefusal } from '../../chain/transaction/refusal.ts'
import type { BlobTransaction, PoolTransaction } from '../../chain/transaction/transaction.ts'
import { sidecarProofFaults } from '../../engine/blobs/verify-sidecar.ts'
import { InFlightQueue } from '../../pool/in-flight-queue.ts'
import type { Admissible, PoolVerdict } from '../../pool/pool.ts'
import { entryAt } from '../../pool/sender-queue.ts'
import type { Address, Bytes } from '../../primitives/hex.ts'
import type { MaybePromise } from '../../primitives/maybe-promise.ts'
import { MissingStateError, whenLoaded } from '../../state/missing-state.ts'
import type { SubmitResult } from '../core/results.ts'
import type { StateLoads } from '../forking/state-loads.ts'
import type { Journal } from '../log/journal.ts'
import type { CurrentView } from '../view/current-view.ts'
import { type ReceivedTransaction, receiveTransaction } from './received-transaction.ts'
import type { SenderRecovery } from './sender-recovery.ts'
import type { UnacknowledgedPool } from './unacknowledged-pool.ts'

export interface SubmissionsDeps {
  readonly current: CurrentView
  readonly journal: Journal
  readonly senders: SenderRecovery
  /** Yields to the event loop between steps of long work. */
  readonly yieldTurn: () => Promise<void>
  readonly unacknowledged: UnacknowledgedPool
  /** Loads the state of transactions of a forked chain. Default: the state is complete. */
  readonly loads?: StateLoads | undefined
  /** Whether accepted transactions are included in a block before they are acknowledged. */
  readonly isIncludedFirst: () => boolean
  /** Includes the executable transactions of the pool, and resolves when they are announced. */
  readonly include: () => Promise<void>
}

/** A fatal failure happened earlier; the node accepts nothing. */
export class NodeFailedError extends Error {
  readonly code = 'NODE_FAILED'
  override readonly name = 'NodeFailedError'
}

/** A judged transaction whose record is not durable yet. */
interface Arrival {
  readonly transaction: PoolTransaction
  readonly judgement: Admissible
  /** Resolves with the record's sequence number when the record is durable and the pool has decided. */
  readonly written: Promise<number>
  verdict: PoolVerdict | undefined
  /** Whether a block has to include it first. Its record may not be durable before. */
  isIncludedFirst: boolean
  /** Instead of a verdict: a failure of this transaction alone. */
  error: unknown
}

type Admission =
  | { readonly kind: 'refused'; readonly refusal: SubmitRefusal }
  | { readonly kind: 'arrives'; readonly arrival: Arrival }

export interface SubmitMadeOptions {
  /** Whether a block includes it before the result where each transaction is mined at once; false: the caller mines. */
  readonly isMined: boolean
}

const MINED: SubmitMadeOptions = { isMined: true }

/** Refuses a transaction by throwing. @param nextNonce of its sender, in the step in which the pool judges it */
export type JudgeReceived = (nextNonce: bigint) => void

export interface SubmitReceivedOptions extends Partial<SubmitMadeOptions> {
  /** Judges the transaction besides the pool. */
  readonly judge?: JudgeReceived
}

/** Transactions of one sender judged between yields: many may wait for the same blob proof. */
const LINE_STEP = 16

/**
 * Limit of blobs with pending proofs, about ten seconds of work. Above it further blob transactions are refused.
 */
export const MAX_WAITING_BLOBS = 64

/**
 * Admits submitted transactions: judges them, records them durably, and adds them to the pool. Transactions of a sender
 * are judged in the order of arrival, each as if the earlier ones were in the pool. The result does not depend on which
 * of them share a sync.
 */
export class Submissions {
  readonly #hasBlobs: boolean
  readonly #deps: SubmissionsDeps
  /** In-flight transactions by sender. */
  readonly #inFlight = new Map<Address, InFlightQueue>()
  /** Their records, by sender and nonce. */
  readonly #records = new Map<string, Promise<number>>()
  /** The newest transaction of each sender that could not be judged on arrival. */
  readonly #lines = new Map<Address, Promise<Admission>>()
  #passedLines = 0
  #waitingBlobs = 0
  /** The newest blob proof in progress: proofs are checked one at a time. */
  #proofs: Promise<unknown> = Promise.resolve()
  /** Transactions of the next record. */
  #unwritten: Arrival[] = []
  /** Resolves with the sequence number of the next record once it is durable. */
  #writing: Promise<number> | undefined

  constructor({ hasBlobs }: { readonly hasBlobs: boolean }, deps: SubmissionsDeps) {
    this.#hasBlobs = hasBlobs
    this.#deps = deps
  }

  /** Decodes sent bytes and recovers the sender. */
  receive(raw: Bytes, from?: Address): Promise<ReceivedTransaction> {
    return receiveTransaction(raw, { hasBlobs: this.#hasBlobs }, this.#deps.senders, from)
  }

  /** Accepts a transaction once its record is durable: an acknowledged transaction survives. */
  async submit(raw: Bytes, from?: Address): Promise<SubmitResult> {
    this.#checkUsable()
    const received = await this.receive(raw, from)
    return received.kind === 'refused' ? received : this.submitReceived(received.transaction)
  }

  /**
   * Accepts a transaction that this node makes for an account of its own.
   *
   * @param make is given the sender's next nonce in the step in which its result is judged, so that concurrent
   *   transactions get consecutive ones
   */
  async submitMade(
    from: Address,
    make: (nextNonce: bigint) => PoolTransaction,
    options: SubmitMadeOptions = MINED,
  ): Promise<SubmitResult> {
    this.#checkUsable()
    if (this.#deps.loads !== undefined) await whenLoaded(() => this.#deps.current.pool.nextNonce(from))
    for (let line = this.#lines.get(from); line !== undefined; line = this.#lines.get(from)) {
      await line.catch(() => undefined)
    }
    return this.submitReceived(make(this.#deps.current.pool.nextNonce(from, this.#inFlight.get(from))), options)
  }

  /** Why a transaction that this node could make now would be refused. Changes nothing. */
  async refusalOfMade(from: Address, make: (nextNonce: bigint) => PoolTransaction): Promise<SubmitRefusal | undefined> {
    const { current } = this.#deps
    const judgement = await whenLoaded(() => {
      const inFlight = this.#inFlight.get(from)
      return current.pool.judge(make(current.pool.nextNonce(from, inFlight)), inFlight)
    })
    return judgement.kind === 'refused' ? judgement.refusal : undefined
  }

  /** As `submit`, for a transaction of `receive`. */
  async submitReceived(
    transaction: PoolTransaction,
    { isMined = true, judge }: SubmitReceivedOptions = {},
  ): Promise<SubmitResult> {
    const { current } = this.#deps
    const { hash } = transaction
    const admitted = this.#mustWait(transaction)
      ? this.#admitInLine(transaction, judge)
      : this.#admitAtOnce(transaction, judge)
    const admission = admitted instanceof Promise ? await admitted : admitted
    if (admission.kind === 'refused') return { kind: 'refused', hash, refusal: admission.refusal }
    const { arrival } = admission
    const sequence = await arrival.written
    const { verdict } = arrival
    if (verdict === undefined) throw arrival.error
    if (arrival.isIncludedFirst) await this.#include({ isMined })
    const failure = arrival.isIncludedFirst ? this.#deps.loads?.failureOf(hash) : undefined
    if (failure !== undefined) throw failure
    if (verdict.kind === 'added') {
      const shown = arrival.isIncludedFirst ? current.head.sequence : sequence
      return { kind: 'accepted', transaction, sequence: Math.max(sequence, shown) }
    }
    // Followers have it in their pool. Of two equal transactions one stays.
    if (verdict.refusal.code !== 'ALREADY_KNOWN') await this.#dropRefused(transaction, verdict.refusal.code)
    return { kind: 'refused', hash, refusal: verdict.refusal }
  }

  /**
   * A transaction with the nonce of one in flight is judged once that is in the pool. Followers accept any better
   * replacement, and would drop the first for one that is refused here.
   */
  #mustWait(transaction: PoolTransaction): boolean {
    return transaction.type === 3 || this.#lines.has(transaction.from) || this.#records.has(nonceKey(transaction))
  }

  /** Later transactions of a sender whose state has to be loaded wait for this one. */
  #admitAtOnce(transaction: PoolTransaction, judge: JudgeReceived | undefined): MaybePromise<Admission> {
    try {
      return this.#admit(transaction, judge)
    } catch (error) {
      if (!(error instanceof MissingStateError)) throw error
      this.#deps.loads?.prefetch(transaction)
      return this.#admitInLine(transaction, judge)
    }
  }

  async #admitInLine(transaction: PoolTransaction, judge: JudgeReceived | undefined): Promise<Admission> {
    const { from } = transaction
    const blobs = transaction.type === 3 ? (transaction.sidecar?.blobs.length ?? 0) : 0
    if (blobs > 0 && this.#waitingBlobs >= MAX_WAITING_BLOBS) {
      return { kind: 'refused', refusal: { code: 'TOO_MANY_BLOBS', limit: MAX_WAITING_BLOBS } }
    }
    this.#waitingBlobs += blobs
    const line = this.#admitAfter(this.#lines.get(from), transaction, judge)
    this.#lines.set(from, line)
    try {
      return await line
    } finally {
      this.#waitingBlobs -= blobs
      if (this.#lines.get(from) === line) this.#lines.delete(from)
    }
  }

  async #admitAfter(
    before: Promise<Admission> | undefined,
    transaction: PoolTransaction,
    judge: JudgeReceived | undefined,
  ): Promise<Admission> {
    await before?.catch(() => undefined)
    await this.#records.get(nonceKey(transaction))?.catch(() => undefined)
    if (++this.#passedLines % LINE_STEP === 0) await this.#deps.yieldTurn()
    const refusal = transaction.type === 3 ? await this.#blobRefusal(transaction) : undefined
    return refusal === undefined
      ? await whenLoaded(() => this.#admit(transaction, judge))
      : { kind: 'refused', refusal }
  }

  /** Judges a transaction and adds it to the next record, in one synchronous step. */
  #admit(transaction: PoolTransaction, judge: JudgeReceived | undefined): Admission {
    const { from } = transaction
    // The node may have failed meanwhile.
    this.#checkUsable()
    const before = this.#inFlight.get(from)
    judge?.(this.#deps.current.pool.nextNonce(from, before))
    const judgement = this.#deps.current.pool.judge(transaction, before)
    if (judgement.kind === 'refused') return judgement
    const inFlight = before ?? new InFlightQueue()
    inFlight.add(transaction, judgement.state, judgement.dataCost)
    this.#inFlight.set(from, inFlight)
    // No record has it yet.
    this.#deps.unacknowledged.arrives(transaction, Number.POSITIVE_INFINITY)
    this.#deps.loads?.prefetch(transaction)
    const arrival = this.#writeTogether(transaction, judgement)
    this.#records.set(nonceKey(transaction), arrival.written)
    return { kind: 'arrives', arrival }
  }

  /** One record and one sync for transactions of the same tick: senders are recovered in batches. */
  #writeTogether(transaction: PoolTransaction, judgement: Admissible): Arrival {
    this.#writing ??= new Promise<void>((resolve) => process.nextTick(resolve)).then(() => this.#write())
    const written = this.#writing
    const arrival = { transaction, judgement, written, verdict: undefined, isIncludedFirst: false, error: undefined }
    this.#unwritten.push(arrival)
    return arrival
  }

  async #write(): Promise<number> {
    const { current, journal, unacknowledged } = this.#deps
    const arrivals = this.#unwritten
    this.#unwritten = []
    this.#writing = undefined
    const isIncludedFirst = this.#deps.isIncludedFirst()
    let sequence: number
    try {
      this.#checkUsable()
      sequence = journal.append({ kind: 'pool', transactions: arrivals.map(({ transaction }) => transaction) })
      for (const { transaction } of arrivals) unacknowledged.arrives(transaction, sequence)
      // Otherwise, the sync of the block that includes them makes their record durable.
      if (!isIncludedFirst) await journal.sync()
    } finally {
      for (const { transaction } of arrivals) this.#arrived(transaction)
    }
    // In the order of the record. Other records may have come first while the disk was busy.
    for (const arrival of arrivals) {
      try {
        arrival.isIncludedFirst = isIncludedFirst
        arrival.verdict = current.pool.add(
          arrival.transaction,
          arrival.judgement,
          isIncludedFirst ? sequence : undefined,
        )
      } catch (error) {
        arrival.error = error
      }
    }
    return sequence
  }

  /** Resolves when the record is durable, and a block includes the transaction if it is executable. */
  async #include({ isMined }: SubmitMadeOptions): Promise<void> {
    const { current, journal, include } = this.#deps
    if (isMined) await include()
    await journal.sync()
    current.pool.announceDurable(journal.durableSequence)
  }

  #arrived(transaction: PoolTransaction): void {
    const { from } = transaction
    const inFlight = this.#inFlight.get(from)!
    inFlight.delete(transaction)
    if (inFlight.size === 0) this.#inFlight.delete(from)
    this.#records.delete(nonceKey(transaction))
    this.#deps.unacknowledged.arrived(transaction)
  }

  /**
   * Drops a transaction that is refused after it was recorded. Followers have dropped the one that it would have
   * replaced, which is recorded again before the response: the next flashblock may be far away, and a halted chain has
   * none. The drop is emitted when it is durable: a leader that takes over before that may include the transaction.
   */
  async #dropRefused(transaction: PoolTransaction, reason: PoolRefusal['code']): Promise<void> {
    const { current, journal } = this.#deps
    const { hash, from, nonce } = transaction
    const dropped = [{ hash, reason: { code: 'INVALID', reason }, transaction } as const]
    current.pool.recordDropped(dropped)
    const pooled = entryAt(current.view().pool.bySender(from), nonce)
    if (pooled !== undefined && !current.hasFailed) journal.append({ kind: 'pool', transactions: [pooled.transaction] })
    await journal.sync()
    current.pool.emitDropped(dropped)
  }

  #checkUsable(): void {
    if (!this.#deps.current.hasFailed) return
    throw new NodeFailedError('the node has failed and accepts nothing more: see its log')
  }

  /** Checks the proofs last: they take longest. */
  async #blobRefusal(transaction: BlobTransaction & PoolTransaction): Promise<SubmitRefusal | undefined> {
    const judgement = await whenLoaded(() =>
      this.#deps.current.pool.judge(transaction, this.#inFlight.get(transaction.from)),
    )
    if (judgement.kind === 'refused') return judgement.refusal
    const { sidecar } = transaction
    if (sidecar === undefined) return undefined
    const faults = sidecarProofFaults(sidecar)
    for (let blob = 0; blob < sidecar.blobs.length; blob++) {
      const reason = await this.#inTurn(() => faults.next().value)
      if (reason) return { code: 'INVALID_BLOBS', reason }
    }
    return undefined
  }

  /** A blob proof takes longer than a time slice: yields after each one. */
  #inTurn<Result>(step: () => Result): Promise<Result> {
    const turn = this.#proofs.then(async () => {
      this.#checkUsable()
      const result = step()
      await this.#deps.yieldTurn()
      return result
    })
    this.#proofs = turn.catch(() => undefined)
    return turn
  }
}

function nonceKey({ from, nonce }: PoolTransaction): string {
  return `${from} ${nonce}`
}
