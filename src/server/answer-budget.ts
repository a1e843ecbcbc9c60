/** Bytes that any connection may have waiting, however much others have: a small answer is never refused. */
const SMALL = 64 * 1024

/** Bounds the memory of all answers that were not written yet, over all connections. */
export class AnswerBudget {
  readonly #limit: number
  #used = 0

  /** @param options.limit bytes in all */
  constructor(options: { readonly limit: number }) {
    this.#limit = options.limit
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
}
