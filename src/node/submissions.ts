import type { BlobTransaction, PoolTransaction } from '../chain/transaction.ts'
import { sidecarProofFaults } from '../engine/blobs/verify-sidecar.ts'
import { ArrivingQueue } from '../pool/arriving-queue.ts'
import type { Admissible } from '../pool/pool.ts'
import { entryAt } from '../pool/sender-queue.ts'
import type { Address, Bytes } from '../primitives/hex.ts'
import type { CurrentView } from './current-view.ts'
import type { Journal } from './journal.ts'
import type { SubmitRefusal, SubmitResult } from './node-service.ts'
import { receiveTransaction } from './received-transaction.ts'
import type { SenderRecovery } from './sender-recovery.ts'
import type { UnsettledPool } from './unsettled-pool.ts'

export interface SubmissionsParts {
  readonly current: CurrentView
  readonly journal: Journal
  readonly senders: SenderRecovery
  /** Lets others have their turn between steps of long work. */
  readonly yieldTurn: () => Promise<void>
  readonly unsettled: UnsettledPool
}

/** Something that the node cannot go on without has failed before. */
export class NodeFailedError extends Error {
  readonly code = 'NODE_FAILED'
  override readonly name = 'NodeFailedError'
}

type Entered =
  | { readonly kind: 'refused'; readonly refusal: SubmitRefusal }
  /** `written`: the record that holds it: its number, once it is durable. */
  | { readonly kind: 'entered'; readonly judgement: Admissible; readonly written: Promise<number> }

/**
 * The way of sent transactions into the pool, by way of the disk. Those of one sender are judged in the order in which they
 * came, each as if those before it were in the pool: whether they wait for the disk together changes no answer.
 */
export class Submissions {
  readonly #isLayer2: boolean
  readonly #parts: SubmissionsParts
  /** What is judged and in no pool yet. */
  readonly #arriving = new Map<Address, ArrivingQueue>()
  /** Its records, by sender and nonce. */
  readonly #records = new Map<string, Promise<number>>()
  /** The newest of each sender that could not be judged when it came. */
  readonly #lines = new Map<Address, Promise<Entered>>()
  /** Proofs of blobs are checked for one transaction after the other. */
  #proofs: Promise<unknown> = Promise.resolve()
  /** What the next record will hold. */
  #unwritten: PoolTransaction[] = []
  /** The record of what is unwritten: its number, once it is durable. */
  #writing: Promise<number> | undefined

  constructor({ isLayer2 }: { readonly isLayer2: boolean }, parts: SubmissionsParts) {
    this.#isLayer2 = isLayer2
    this.#parts = parts
  }

  /** Accepted only when it is on disk: an acknowledged transaction survives (design claim 2). */
  async submit(raw: Bytes, from?: Address): Promise<SubmitResult> {
    this.#checkUsable()
    const received = await receiveTransaction(raw, { isLayer2: this.#isLayer2 }, this.#parts.senders, from)
    if (received.kind === 'refused') return received
    const { transaction } = received
    const { hash } = transaction
    const entering = this.#mustWait(transaction) ? this.#queueUp(transaction) : this.#enter(transaction)
    const entered = entering instanceof Promise ? await entering : entering
    if (entered.kind === 'refused') return { kind: 'refused', hash, refusal: entered.refusal }
    const { judgement, written } = entered
    let sequence: number
    try {
      sequence = await written
    } finally {
      this.#arrived(transaction)
    }
    // Others may have come first while the disk was busy.
    const verdict = this.#parts.current.take(transaction, judgement)
    if (verdict.kind === 'added') return { kind: 'accepted', transaction, sequence }
    // Who follows has it as waiting; of two that were the same, one does wait.
    if (verdict.refusal.code !== 'ALREADY_KNOWN') {
      this.#parts.current.forget([{ hash, reason: { code: 'INVALID', reason: verdict.refusal.code }, transaction }])
      await this.#keep(transaction)
    }
    return { kind: 'refused', hash, refusal: verdict.refusal }
  }

  /**
   * What is of a nonce that arrives is judged when that is in the pool: those who follow demand no more of a replacement than
   * that it is better, and would give up the first for one that is refused here.
   */
  #mustWait(transaction: PoolTransaction): boolean {
    return transaction.type === 3 || this.#lines.has(transaction.from) || this.#records.has(placeOf(transaction))
  }

  #queueUp(transaction: PoolTransaction): Promise<Entered> {
    const { from } = transaction
    const before = this.#lines.get(from)
    const line = this.#enterAfter(before, transaction).finally(() => {
      if (this.#lines.get(from) === line) this.#lines.delete(from)
    })
    this.#lines.set(from, line)
    return line
  }

  async #enterAfter(before: Promise<Entered> | undefined, transaction: PoolTransaction): Promise<Entered> {
    await before?.catch(() => undefined)
    await this.#records.get(placeOf(transaction))?.catch(() => undefined)
    if (transaction.type === 3) {
      const refusal = await this.#blobRefusal(transaction)
      if (refusal !== undefined) return { kind: 'refused', refusal }
    }
    return this.#enter(transaction)
  }

  /** Judges it and puts it into the next record, in one step. */
  #enter(transaction: PoolTransaction): Entered {
    const { from } = transaction
    // It may have failed while the sender was recovered.
    this.#checkUsable()
    const before = this.#arriving.get(from)
    const judgement = this.#parts.current.judge(transaction, before)
    if (judgement.kind === 'refused') return judgement
    const arriving = before ?? new ArrivingQueue()
    arriving.add(transaction, judgement.state)
    this.#arriving.set(from, arriving)
    // In no record yet.
    this.#parts.unsettled.arrives(transaction, Number.POSITIVE_INFINITY)
    const written = this.#writeTogether(transaction)
    this.#records.set(placeOf(transaction), written)
    return { kind: 'entered', judgement, written }
  }

  #arrived(transaction: PoolTransaction): void {
    const { from } = transaction
    const arriving = this.#arriving.get(from)!
    arriving.delete(transaction)
    if (arriving.size === 0) this.#arriving.delete(from)
    this.#records.delete(placeOf(transaction))
    this.#parts.unsettled.arrived(transaction)
  }

  /**
   * Who follows gave up what the refused transaction would have replaced: it is told again that this one waits, before the
   * client hears, since the next flashblock may be far away, and a chain that stands still has none.
   */
  async #keep({ from, nonce }: PoolTransaction): Promise<void> {
    const { current, journal } = this.#parts
    const kept = entryAt(current.view().pool.bySender(from), nonce)
    if (kept === undefined || current.hasFailed) return
    journal.append({ kind: 'pool', transactions: [kept.transaction] })
    await journal.sync()
  }

  /** One record and one sync for transactions that were recovered together: each goes on in the same step of the event loop. */
  #writeTogether(transaction: PoolTransaction): Promise<number> {
    const { journal, unsettled } = this.#parts
    this.#unwritten.push(transaction)
    this.#writing ??= new Promise<void>((resolve) => process.nextTick(resolve)).then(async () => {
      const transactions = this.#unwritten
      this.#unwritten = []
      this.#writing = undefined
      this.#checkUsable()
      const sequence = journal.append({ kind: 'pool', transactions })
      for (const written of transactions) unsettled.arrives(written, sequence)
      await journal.sync()
      return sequence
    })
    return this.#writing
  }

  #checkUsable(): void {
    if (!this.#parts.current.hasFailed) return
    throw new NodeFailedError('the node has failed and accepts nothing more: see its log')
  }

  /** The proofs last: nothing else about a transaction takes so long to check. */
  #blobRefusal(transaction: BlobTransaction & PoolTransaction): Promise<SubmitRefusal | undefined> {
    // A blob takes longer than a slice: of two at once neither would let others have their turn between.
    const checked = this.#proofs.then(() => this.#checkBlobs(transaction))
    this.#proofs = checked.catch(() => undefined)
    return checked
  }

  async #checkBlobs(transaction: BlobTransaction & PoolTransaction): Promise<SubmitRefusal | undefined> {
    const judgement = this.#parts.current.judge(transaction, this.#arriving.get(transaction.from))
    if (judgement.kind === 'refused') return judgement.refusal
    const { sidecar } = transaction
    if (sidecar === undefined) return undefined
    for (const reason of sidecarProofFaults(sidecar)) {
      if (reason !== undefined) return { code: 'INVALID_BLOBS', reason }
      await this.#parts.yieldTurn()
    }
    return undefined
  }
}

function placeOf({ from, nonce }: PoolTransaction): string {
  return `${from} ${nonce}`
}
