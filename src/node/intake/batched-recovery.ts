import type { Logger } from 'pino'
import type { SignedTransaction } from '../../chain/transaction/transaction.ts'
import type { Address, Bytes } from '../../primitives/hex.ts'
import { startThread, type ThreadPort } from '../../primitives/threads/thread-port.ts'
import { type SenderRecovery, senderOf } from './sender-recovery.ts'
import { decodeRecovered, encodeQuestions } from './signature-batch.ts'

export type SignatureThread = ThreadPort<Bytes, Bytes>

interface Options {
  /** Minimum batch size for the thread; smaller batches are recovered on this thread. */
  readonly smallestBatch: number
  readonly largestBatch: number
  /** Maximum milliseconds that an incomplete batch waits while each round adds to it. Default: 0. */
  readonly patienceMs?: number
  /** Batches in flight to the thread, so that it is never idle between two. Default: 1. */
  readonly batchesUnderWay?: number
}

interface Parts {
  readonly startThread: () => SignatureThread
  /** Runs an action after pending input was read: `setImmediate`. */
  readonly nextRound: (action: () => void) => void
  /** Milliseconds on the monotonic clock. */
  readonly now: () => number
  readonly log: Pick<Logger, 'error'>
}

interface Waiting {
  readonly transaction: SignedTransaction
  readonly resolve: (address: Address | undefined) => void
}

/**
 * Recovers senders in batches on another thread: one recovery takes 60 microseconds, and the sequencer runs on this
 * thread. Transactions that arrive while a batch is in flight form the next one, so batches grow with the load; a full
 * batch is sent at once. A single transaction is recovered on this thread. The other thread starts with the first
 * batch.
 */
export class BatchedSenderRecovery implements SenderRecovery {
  readonly #options: Options
  readonly #deps: Parts
  readonly #waiting: Waiting[] = []
  /** Batches in flight, oldest first: responses arrive in order. */
  readonly #underWay: (readonly Waiting[])[] = []
  #thread: SignatureThread | undefined
  #isScheduled = false
  #isClosed = false

  constructor(options: Options, parts: Parts) {
    this.#options = options
    this.#deps = parts
  }

  recover(transaction: SignedTransaction): Promise<Address | undefined> {
    return new Promise((resolve) => {
      this.#waiting.push({ transaction, resolve })
      this.#postFull()
      if (this.#underWay.length === 0) this.#schedule()
    })
  }

  /** Recovers pending senders on this thread, and ends the other one. */
  async close(): Promise<void> {
    this.#isClosed = true
    this.#recoverAllHere()
    await this.#thread?.end()
  }

  #schedule(): void {
    if (this.#isScheduled) return
    this.#isScheduled = true
    this.#wait(0, this.#deps.now() + (this.#options.patienceMs ?? 0))
  }

  /**
   * A client that waits for each response before its next request adds about one transaction per round.
   */
  #wait(before: number, end: number): void {
    this.#deps.nextRound(() => {
      const count = this.#waiting.length
      const isComing = count > before && count < this.#options.largestBatch && this.#deps.now() < end
      if (this.#underWay.length === 0 && isComing) {
        this.#wait(count, end)
        return
      }
      this.#isScheduled = false
      if (this.#underWay.length === 0) this.#next()
    })
  }

  /** Sends further batches, so that the thread does not wait for this one. */
  #postFull(): void {
    const { largestBatch, batchesUnderWay = 1 } = this.#options
    while (this.#waiting.length >= largestBatch && this.#underWay.length < batchesUnderWay) this.#next()
  }

  #next(): void {
    const { smallestBatch, largestBatch } = this.#options
    const batch = this.#waiting.splice(0, largestBatch)
    if (batch.length === 0) return
    if (batch.length < smallestBatch || this.#isClosed) {
      recoverHere(batch)
      return
    }
    this.#underWay.push(batch)
    try {
      this.#thread ??= this.#start()
      this.#thread.post(encodeQuestions(batch.map(({ transaction }) => transaction)))
    } catch (error) {
      this.#fail(error)
    }
  }

  #start(): SignatureThread {
    const thread = this.#deps.startThread()
    thread.listen(
      (responses) => {
        if (this.#thread === thread) this.#receive(responses)
      },
      (error) => {
        if (this.#thread === thread) this.#fail(error)
      },
    )
    return thread
  }

  #receive(responses: Bytes): void {
    const batch = this.#underWay.shift() ?? []
    for (const [index, address] of decodeRecovered(responses).entries()) batch[index]?.resolve(address)
    this.#postFull()
    // The queue grows while the thread is busy.
    if (this.#underWay.length > 0) return
    const { smallestBatch, patienceMs = 0 } = this.#options
    if (patienceMs > 0 && this.#waiting.length > 0 && this.#waiting.length < smallestBatch) this.#schedule()
    else this.#next()
  }

  /** Recovery continues on this thread, more slowly; the next batch starts another thread. */
  #fail(error: unknown): void {
    if (this.#isClosed) return
    this.#deps.log.error({ err: error }, 'the thread that recovers senders failed')
    this.#thread = undefined
    this.#recoverAllHere()
  }

  #recoverAllHere(): void {
    for (const batch of this.#underWay.splice(0)) recoverHere(batch)
    recoverHere(this.#waiting.splice(0))
  }
}

function recoverHere(batch: readonly Waiting[]): void {
  for (const { transaction, resolve } of batch) resolve(senderOf(transaction))
}

/** A worker thread that does not keep the process alive. */
export function startSignatureThread(): SignatureThread {
  return startThread(new URL('./signature-thread.js', import.meta.url), {
    name: 'sender recovery',
    keepsProcess: false,
    transferred: (questions) => [questions.buffer as ArrayBuffer],
  })
}
