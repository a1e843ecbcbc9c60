/** Bytes that each request may use however much the others do, so that small responses are never refused. */
const SMALL = 64 * 1024

/** Memory that one request or batch uses for its response. */
export interface ResponseReservation {
  /** Whether another response may be added to the batch. */
  hasRoom(): boolean
  /** Counts a complete response, which may have been counted by `grow` before. */
  add(bytes: number): void
  /**
   * Counts the response that is being built, before the request yields to others.
   *
   * @param bytes in total, not since the last call
   * @returns false when the request has to be aborted
   */
  grow(bytes: number): boolean
  /** Releases everything. Called when the response is complete or aborted. */
  end(): void
}

/**
 * Bounds the memory of all responses under construction. Requests run in slices, so that many half-built responses
 * exist at once: without a common bound they could use the limit of one response times their number.
 */
export class ResponseMemory {
  readonly #limit: number
  #used = 0

  /** @param options.limit bytes; a request that had room may exceed it by one response */
  constructor(options: { readonly limit: number }) {
    this.#limit = options.limit
  }

  begin(): ResponseReservation {
    let complete = 0
    let growing = 0
    const set = (nextComplete: number, nextGrowing: number) => {
      this.#used += nextComplete + nextGrowing - complete - growing
      complete = nextComplete
      growing = nextGrowing
    }
    return {
      hasRoom: () => this.#used < this.#limit || complete < SMALL,
      add: (bytes) => set(complete + bytes, 0),
      grow: (bytes) => {
        set(complete, bytes)
        // A request on its own is bounded by the limit of one response: refusing it here would refuse it every time.
        return this.#used <= this.#limit || complete + growing <= SMALL || this.#used === complete + growing
      },
      end: () => set(0, 0),
    }
  }
}
