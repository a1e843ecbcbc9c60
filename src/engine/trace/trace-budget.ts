/** The answer would be larger than it may be; the run left no trace. */
export class TraceTooLargeError extends Error {
  override readonly name = 'TraceTooLargeError'
  readonly code = 'TRACE_TOO_LARGE'
  /** Bytes of an answer at most. */
  readonly limit: number

  constructor(limit: number) {
    super(`the trace is larger than ${limit} bytes: trace less of it at once`)
    this.limit = limit
  }
}

/** Counts what the traces of one answer will be as JSON, approximately, and ends what becomes too large. */
export class TraceBudget {
  readonly #limit: number
  #spent = 0

  /** @param limit bytes */
  constructor(limit: number) {
    this.#limit = limit
  }

  /** Bytes so far. */
  get spent(): number {
    return this.#spent
  }

  /** @throws TraceTooLargeError */
  spend(bytes: number): void {
    this.#spent += bytes
    if (this.#spent > this.#limit) throw new TraceTooLargeError(this.#limit)
  }
}
