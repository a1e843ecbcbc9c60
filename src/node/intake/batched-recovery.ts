import { Worker } from 'node:worker_threads'
import type { Logger } from 'pino'
import type { SignedTransaction } from '../../chain/transaction/transaction.ts'
import type { Address, Bytes } from '../../primitives/hex.ts'
import { type SenderRecovery, senderOf } from './sender-recovery.ts'
import { decodeRecovered, encodeQuestions } from './signature-batch.ts'

/** The other thread, as far as it is used. */
export interface SignatureThread {
  post(questions: Bytes): void
  /** Told the answers of each batch, in their order, or once that there will be none any more. */
  listen(onResponses: (responses: Bytes) => void, onEnd: (error: unknown) => void): void
  end(): Promise<void>
}

interface Options {
  /** Questions that are worth a way to another thread and back; fewer are answered here. */
  readonly smallestBatch: number
  readonly largestBatch: number
  /** Milliseconds that a batch waits at most for more, as long as each round brings some: 0. */
  readonly patienceMs?: number
  /** Batches that are with the thread at once, so that it has the next one when it is done with one: 1. */
  readonly batchesUnderWay?: number
}

interface Parts {
  readonly startThread: () => SignatureThread
  /** Runs an action when what has come in by now was read: `setImmediate`. */
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
 * Recovers the senders of transactions that come in together in another thread, in batches: one takes 60 microseconds,
 * and the sequencer shares this thread. What comes in while a batch is under way is the next one, so that batches grow
 * with the load; a full one need not wait for that. A transaction on its own is answered here. The thread starts with
 * the first batch.
 */
export class BatchedSenderRecovery implements SenderRecovery {
  readonly #options: Options
  readonly #deps: Parts
  readonly #waiting: Waiting[] = []
  /** The oldest first: batches are answered in their order. */
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
   * Clients that are answered one by one ask one by one: a round mostly brings one question, and the next one
   * another.
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

  /** Keeps the thread busy: it must not wait for this one. */
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

  /** Without the thread it is slower, not wrong; the next batch starts another. */
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

/** A thread of this process; it does not keep the process alive. */
export function startSignatureThread(): SignatureThread {
  const worker = new Worker(new URL('./signature-thread.js', import.meta.url), { name: 'sender recovery' })
  worker.unref()
  return {
    post: (questions) => worker.postMessage(questions, [questions.buffer as ArrayBuffer]),
    listen(onResponses, onEnd) {
      worker.on('message', onResponses)
      worker.on('error', onEnd)
      worker.on('exit', (code) => onEnd(new Error(`it ended with code ${code}`)))
    },
    async end() {
      await worker.terminate()
    },
  }
}
