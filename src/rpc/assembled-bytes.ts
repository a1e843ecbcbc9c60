/** Bytes that any one batch may have together, however much others have: a small one is never refused. */
const SMALL = 64 * 1024

/** What one batch has put together so far. */
export interface Assembly {
  /** Whether another answer may be added. */
  hasRoom(): boolean
  add(bytes: number): void
  /** To be called once, when its answer is complete or given up. */
  end(): void
}

/**
 * Bounds the answers that are being put together, over all batches. Each takes turns with the others, so that the ones
 * that wait would otherwise hold as much as one may have, times their number.
 */
export class AssembledBytes {
  readonly #limit: number
  #used = 0

  /** @param options.limit bytes in all; one answer beyond it is still taken by each that had room */
  constructor(options: { readonly limit: number }) {
    this.#limit = options.limit
  }

  begin(): Assembly {
    let own = 0
    return {
      hasRoom: () => this.#used < this.#limit || own < SMALL,
      add: (bytes) => {
        own += bytes
        this.#used += bytes
      },
      end: () => {
        this.#used -= own
        own = 0
      },
    }
  }
}
