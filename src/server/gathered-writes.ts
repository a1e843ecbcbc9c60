/** Writes that are held at most: what the first of them waits for has its bound in them too. */
const MOST = 32
/** Milliseconds that the first may be held while the ones behind it are made. */
const LONGEST = 0.5

interface Parts {
  /** Milliseconds on the monotonic clock. */
  readonly now: () => number
  /** Runs an action when what has come in by now was read: `setImmediate`. */
  readonly nextRound: (action: () => void) => void
}

/**
 * Small writes to many connections, held until the round of the event loop has brought what there is. A write wakes the
 * client that waits for it, and where all are one program, each write between two requests wakes it anew, for the system to
 * put it to sleep again at once: that was a quarter of what an `eth_call` costs. What follows a long request is not held for it, but
 * what came just before it may wait for one slice.
 */
export class GatheredWrites {
  readonly #parts: Parts
  #held: (() => void)[] = []
  /** When the first of them was held. */
  #since = 0
  #isScheduled = false

  constructor(parts: Parts) {
    this.#parts = parts
  }

  /** @param write makes one write; must not throw */
  hold(write: () => void): void {
    const now = this.#parts.now()
    if (this.#held.length === 0) this.#since = now
    this.#held.push(write)
    if (this.#held.length >= MOST || now - this.#since >= LONGEST) this.#writeAll()
    else this.#schedule()
  }

  #schedule(): void {
    if (this.#isScheduled) return
    this.#isScheduled = true
    this.#parts.nextRound(() => {
      this.#isScheduled = false
      this.#writeAll()
    })
  }

  #writeAll(): void {
    const held = this.#held
    this.#held = []
    for (const write of held) write()
  }
}
