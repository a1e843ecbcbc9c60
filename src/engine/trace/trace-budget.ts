/** The response would exceed its limit; the run was reverted. */
export class TraceTooLargeError extends Error {
  override readonly name = 'TraceTooLargeError'
  readonly code = 'TRACE_TOO_LARGE'
  /** Maximum size of the response in bytes. */
  readonly limit: number

  constructor(limit: number) {
    super(`the trace is larger than ${limit} bytes: trace less of it at once`)
    this.limit = limit
  }
}

/** Estimates the JSON size of the traces of one response and stops what gets too large. */
export class TraceBudget {
  readonly #limit: number
  #spent = 0

  /** @param limit in bytes */
  constructor(limit: number) {
    this.#limit = limit
  }

  /** Bytes used. */
  get spent(): number {
    return this.#spent
  }

  /** @throws TraceTooLargeError */
  spend(bytes: number): void {
    this.#spent += bytes
    if (this.#spent > this.#limit) throw new TraceTooLargeError(this.#limit)
  }
}
