import type { QueuedClient } from '../protocol/rpc-client.ts'
import { FairQueue } from './fair-queue.ts'

/** Milliseconds of work after which a request yields, so that a flashblock does not wait for a reader. */
export const REQUEST_SLICE_MS = 8
/** Milliseconds per round for queued requests that start in that round. */
const WAITING_SLICE_MS = REQUEST_SLICE_MS / 4

export interface RunQueueDeps {
  /** Milliseconds on the monotonic clock. */
  readonly now: () => number
  /** Runs an action after one round of the event loop: `setImmediate`. */
  readonly nextRound: (action: () => void) => void
}

/**
 * Shares the thread between requests, and equally between their clients. In each round of the event loop new requests
 * start for at most one slice, and one long request continues for another. Timers, among them those of the sequencer,
 * run between rounds. Queued requests start several per round while they are short: a round costs as much as a small
 * request, and with one per round clients that ask again at once would never let the queue become empty.
 */
export class RunQueue {
  readonly #deps: RunQueueDeps
  /** Costs are milliseconds until the request ended or yielded. */
  readonly #starting = new FairQueue<() => void>({ unknownCost: REQUEST_SLICE_MS })
  /** Each item costs one slice. */
  readonly #resuming = new FairQueue<() => void>({ unknownCost: 1 })
  /** End of the slice in which requests of this round start; `undefined` before the first. */
  #startEnd: number | undefined
  #isScheduled = false

  constructor(deps: RunQueueDeps) {
    this.#deps = deps
  }

  /**
   * Starts a request at once, or in a later round when those of this round have used its slice.
   *
   * @param now the clock as it was just read
   */
  begin(client: QueuedClient, now = this.#deps.now()): true | Promise<true> {
    if (this.#starting.size === 0) {
      this.#startEnd ??= now + REQUEST_SLICE_MS
      this.#schedule()
      if (now < this.#startEnd) return true
    }
    return this.#wait(this.#starting, client)
  }

  /**
   * Reports the time of a request that `begin` started at once, until it ended or yielded.
   *
   * @param time milliseconds
   */
  report(client: QueuedClient, time: number): void {
    this.#starting.learn(client, time)
  }

  /** Resolves when a long request may continue. */
  resume(client: QueuedClient): Promise<true> {
    return this.#wait(this.#resuming, client)
  }

  #wait(queue: FairQueue<() => void>, client: QueuedClient): Promise<true> {
    return new Promise((resolve) => {
      queue.add(client, () => resolve(true))
      this.#schedule()
    })
  }

  #schedule(): void {
    if (this.#isScheduled) return
    this.#isScheduled = true
    this.#deps.nextRound(() => {
      this.#isScheduled = false
      this.#startEnd = undefined
      const now = this.#deps.now()
      this.#startWaiting(now, now + WAITING_SLICE_MS)
    })
  }

  /** A request runs before the next one starts. */
  #startWaiting(now: number, end: number): void {
    const next = this.#starting.take()
    if (next === undefined) {
      this.#endRound()
      return
    }
    next.item()
    queueMicrotask(() => {
      const after = this.#deps.now()
      this.#starting.learn(next.client, after - now)
      if (after < end && this.#starting.size > 0) this.#startWaiting(after, end)
      else this.#endRound()
    })
  }

  #endRound(): void {
    const next = this.#resuming.take()
    next?.item()
    if (this.#starting.size + this.#resuming.size > 0) this.#schedule()
  }
}

/**
 * Runs an action after the timers that are due, among them those of the sequencer: the first `setImmediate` runs before
 * them, the second one after.
 */
export function nextRound(action: () => void): void {
  setImmediate(() => setImmediate(action))
}
