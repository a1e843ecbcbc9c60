/** Bytes that any connection may have waiting, however much others have: a small answer is never refused. */
const SMALL = 64 * 1024
/** What all WebSockets together may have waiting before the slow ones go, as a share of the limit. */
const SOCKETS_SHARE = 1 / 4

/** Bounds the memory of all answers that were not written yet, over all connections. */
export class ResponseBudget {
  readonly #limit: number
  /** Messages that several connections have waiting, with how many. */
  readonly #shared = new Map<object, number>()
  #used = 0

  /** @param options.limit bytes in all */
  constructor(options: { readonly limit: number }) {
    this.#limit = options.limit
  }

  /**
   * Bytes that one of so many WebSockets may leave unread. A thousand stalled ones get no more than one does, or the
   * answers of the others would find no room.
   */
  shareOf(sockets: number): number {
    return Math.max(SMALL, (this.#limit * SOCKETS_SHARE) / Math.max(1, sockets))
  }

  /**
   * Takes what an answer needs, until it is written or its connection ends.
   *
   * @param waiting bytes that the connection has waiting already
   * @returns gives it back; `undefined`: there is no room
   */
  take(bytes: number, waiting: number): (() => void) | undefined {
    if (this.#used + bytes > this.#limit && waiting + bytes > SMALL) return undefined
    this.#used += bytes
    let isTaken = true
    return () => {
      if (isTaken) this.#used -= bytes
      isTaken = false
    }
  }

  /**
   * The same for a message that many connections have waiting: it is in memory once, and counts once. Whoever has
   * nothing waiting is never refused.
   */
  takeShared(message: object, bytes: number, waiting: number): (() => void) | undefined {
    const holders = this.#shared.get(message) ?? 0
    if (holders === 0) {
      if (this.#used + bytes > this.#limit && waiting > 0) return undefined
      this.#used += bytes
    }
    this.#shared.set(message, holders + 1)
    let isTaken = true
    return () => {
      if (!isTaken) return
      isTaken = false
      const left = this.#shared.get(message)! - 1
      if (left > 0) {
        this.#shared.set(message, left)
        return
      }
      this.#shared.delete(message)
      this.#used -= bytes
    }
  }
}
