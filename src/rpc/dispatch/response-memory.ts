/** Bytes that any one request may have together, however much others have: a small answer is never refused. */
const SMALL = 64 * 1024

/** What one request, or one batch, has put together so far. */
export interface ResponseReservation {
  /** Whether another answer may be added. */
  hasRoom(): boolean
  /** Takes an answer that is complete; it may have grown before. */
  add(bytes: number): void
  /**
   * Takes what the next answer has by now, while others have their turn.
   *
   * @param bytes in all, not since the last time
   * @returns whether it may go on; else it has to be given up
   */
  grow(bytes: number): boolean
  /** To be called when its answer is complete or given up. */
  end(): void
}

/**
 * Bounds the answers that are being put together, over all requests. Each takes turns with the others, so that the ones
 * that wait would otherwise hold as much as one may have, times their number.
 */
export class ResponseMemory {
  readonly #limit: number
  #used = 0

  /** @param options.limit bytes in all; one answer beyond it is still taken by each that had room */
  constructor(options: { readonly limit: number }) {
    this.#limit = options.limit
  }

  begin(): ResponseReservation {
    let own = 0
    let growing = 0
    const take = (complete: number, incomplete: number) => {
      this.#used += complete + incomplete - own - growing
      own = complete
      growing = incomplete
    }
    return {
      hasRoom: () => this.#used < this.#limit || own < SMALL,
      add: (bytes) => take(own + bytes, 0),
      grow: (bytes) => {
        take(own, bytes)
        // One that is alone is bounded by what it may be itself: it would be refused again and again.
        return this.#used <= this.#limit || own + growing <= SMALL || this.#used === own + growing
      },
      end: () => take(0, 0),
    }
  }
}
