/** Milliseconds of work after which a request yields, so that a flashblock does not wait for a reader. */
export const SLICE = 8
/** Milliseconds per round for queued requests that start in that round. */
const WAITING_SLICE = SLICE / 4

export interface RunQueueDeps {
  /** Milliseconds on the monotonic clock. */
  readonly now: () => number
  /** Runs an action after one round of the event loop: `setImmediate`. */
  readonly nextRound: (action: () => void) => void
}

/**
 * Shares the thread between requests. In each round of the event loop new requests start for at most one slice, and one
 * long request continues for another. Timers, among them those of the sequencer, run between rounds. Queued requests
 * start several per round while they are short: a round costs as much as a small request, and with one per round
 * clients that ask again at once would never let the queue become empty.
 */
export class RunQueue {
  readonly #deps: RunQueueDeps
  readonly #starting: (() => void)[] = []
  readonly #resuming: (() => void)[] = []
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
  begin(now = this.#deps.now()): true | Promise<true> {
    if (this.#starting.length === 0) {
      this.#startEnd ??= now + SLICE
      this.#schedule()
      if (now < this.#startEnd) return true
    }
    return this.#wait(this.#starting)
  }

  /** Resolves when a long request may continue. */
  resume(): Promise<true> {
    return this.#wait(this.#resuming)
  }

  #wait(queue: (() => void)[]): Promise<true> {
    return new Promise((resolve) => {
      queue.push(() => resolve(true))
      this.#schedule()
    })
  }

  #schedule(): void {
    if (this.#isScheduled) return
    this.#isScheduled = true
    this.#deps.nextRound(() => {
      this.#isScheduled = false
      this.#startEnd = undefined
      this.#startWaiting(this.#deps.now() + WAITING_SLICE)
    })
  }

  /** A request runs before the next one starts: requests start in the order in which they came. */
  #startWaiting(end: number): void {
    this.#starting.shift()?.()
    if (this.#starting.length === 0) this.#endRound()
    else queueMicrotask(() => (this.#deps.now() < end ? this.#startWaiting(end) : this.#endRound()))
  }

  #endRound(): void {
    this.#resuming.shift()?.()
    if (this.#starting.length + this.#resuming.length > 0) this.#schedule()
  }
}

/**
 * Runs an action after the timers that are due, among them those of the sequencer: the first `setImmediate` runs before
 * them, the second one after.
 */
export function nextRound(action: () => void): void {
  setImmediate(() => setImmediate(action))
}
