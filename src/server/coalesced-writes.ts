/** Writes that are held at most. */
const MOST = 32
/** Milliseconds after which what is held goes out before more work is begun. */
const LONGEST = 0.5

interface Deps {
  /** Milliseconds on the monotonic clock. */
  readonly now: () => number
  /** Runs an action when what has come in by now was read: `setImmediate`. */
  readonly nextRound: (action: () => void) => void
}

interface Held {
  readonly write: () => void
  readonly onWritten: (() => void) | undefined
}

/**
 * Small answers to many connections, held until a round of the event loop has read what came in. A write wakes the client
 * that waits for it; where one program has many connections, a write after each request wakes it each time, and it goes back to sleep
 * in between. An `eth_call` over 64 connections took 33 microseconds of processor time instead of 42 with this alone, in one run.
 *
 * Whatever begins the work of a request that just came asks first whether something is overdue, so that an answer waits for half a
 * millisecond and one other request, and, where a request goes on in slices, for one of those.
 */
export class CoalescedWrites {
  readonly #deps: Deps
  #held: Held[] = []
  /** When the first of them was held. */
  #since = 0
  #isScheduled = false

  constructor(deps: Deps) {
    this.#deps = deps
  }

  /**
   * @param write makes one write, and nothing else; must not throw
   * @param onWritten told in a later step, when all that was held is written; must not throw
   */
  hold(write: () => void, onWritten?: () => void): void {
    if (this.#held.length === 0) this.#since = this.#deps.now()
    this.#held.push({ write, onWritten })
    if (this.#held.length >= MOST) this.#writeAll()
    else this.#schedule()
  }

  /** Asked before more work is begun. */
  writeOverdue(): void {
    if (this.#held.length > 0 && this.#deps.now() - this.#since >= LONGEST) this.#writeAll()
  }

  #schedule(): void {
    if (this.#isScheduled) return
    this.#isScheduled = true
    this.#deps.nextRound(() => {
      this.#isScheduled = false
      this.#writeAll()
    })
  }

  /** Nobody's further requests are read before all are written. */
  #writeAll(): void {
    const held = this.#held
    if (held.length === 0) return
    this.#held = []
    for (const { write } of held) write()
    process.nextTick(() => {
      for (const { onWritten } of held) onWritten?.()
    })
  }
}
