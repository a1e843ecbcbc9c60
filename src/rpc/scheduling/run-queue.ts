/** Milliseconds of work after which others get a turn: a flashblock must not wait for a reader. */
export const SLICE = 8
/** Milliseconds of work, in a round in which some wait to begin, after which the others of them wait on. */
const WAITING_SLICE = SLICE / 4

export interface RunQueueDeps {
  /** Milliseconds on the monotonic clock. */
  readonly now: () => number
  /** Runs an action when the event loop has been round once: `setImmediate`. */
  readonly nextRound: (action: () => void) => void
}

/**
 * Shares the thread between requests, however many there are: in one round of the event loop, new requests begin for one
 * slice at most, and one that takes long goes on for another. Timers, the sequencer's among them, come between rounds.
 * Those that found no room begin several a round while they are short: a round costs as much as a small request does, and
 * clients that ask again as soon as they are answered would never let the queue become empty.
 */
export class RunQueue {
  readonly #deps: RunQueueDeps
  readonly #beginning: (() => void)[] = []
  readonly #continuing: (() => void)[] = []
  /** Of the slice in which the requests of this round begin; `undefined`: none has begun. */
  #beginEnd: number | undefined
  #isScheduled = false

  constructor(deps: RunQueueDeps) {
    this.#deps = deps
  }

  /**
   * At once; or, when those of this round have used up its slice, in a later one, at least one of those that wait.
   *
   * @param now where the clock was just read
   */
  begin(now = this.#deps.now()): true | Promise<true> {
    if (this.#beginning.length === 0) {
      this.#beginEnd ??= now + SLICE
      this.#schedule()
      if (now < this.#beginEnd) return true
    }
    return this.#wait(this.#beginning)
  }

  /** When it is this one's turn among those that take long. */
  goOn(): Promise<true> {
    return this.#wait(this.#continuing)
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
      this.#beginEnd = undefined
      this.#beginWaiting(this.#deps.now() + WAITING_SLICE)
    })
  }

  /** Each does its work before the next one begins: what was told first is done first. */
  #beginWaiting(end: number): void {
    this.#beginning.shift()?.()
    if (this.#beginning.length === 0) this.#endRound()
    else queueMicrotask(() => (this.#deps.now() < end ? this.#beginWaiting(end) : this.#endRound()))
  }

  #endRound(): void {
    this.#continuing.shift()?.()
    if (this.#beginning.length + this.#continuing.length > 0) this.#schedule()
  }
}

/**
 * The first `setImmediate` comes before the timers that are due, the sequencer's among them; the second one after them.
 */
export function nextRound(action: () => void): void {
  setImmediate(() => setImmediate(action))
}
