/** Milliseconds of work after which others get a turn: a flashblock must not wait for a reader. */
export const SLICE = 8

export interface TurnQueueParts {
  /** Milliseconds on the monotonic clock. */
  readonly now: () => number
  /** Runs an action when the event loop has been round once: `setImmediate`. */
  readonly nextRound: (action: () => void) => void
}

/**
 * Shares the thread between requests, however many there are: in one round of the event loop, new requests begin for one
 * slice at most, and one that takes long goes on for another. Timers, the sequencer's among them, come between rounds.
 */
export class TurnQueue {
  readonly #parts: TurnQueueParts
  readonly #beginning: (() => void)[] = []
  readonly #continuing: (() => void)[] = []
  /** Of the slice in which the requests of this round begin; `undefined`: none has begun. */
  #beginEnd: number | undefined
  #isScheduled = false

  constructor(parts: TurnQueueParts) {
    this.#parts = parts
  }

  /** At once; or, when those of this round have used up its slice, one a round. */
  begin(): true | Promise<true> {
    const now = this.#parts.now()
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
    this.#parts.nextRound(() => {
      this.#isScheduled = false
      this.#beginEnd = undefined
      this.#beginning.shift()?.()
      this.#continuing.shift()?.()
      if (this.#beginning.length + this.#continuing.length > 0) this.#schedule()
    })
  }
}

/**
 * The first `setImmediate` comes before the timers that are due, the sequencer's among them; the second one after them.
 */
export function nextRound(action: () => void): void {
  setImmediate(() => setImmediate(action))
}
