/** The response would exceed its limit; the run was reverted. */
export class TraceTooLargeError extends Error {
  override readonly name = 'TraceTooLargeError'
  readonly code = 'TRACE_TOO_LARGE'
  /** Maximum size of the response in bytes. */
  readonly maxBytes: number

  constructor(maxBytes: number) {
    super(`the trace is larger than ${maxBytes} bytes: trace less of it at once`)
    this.maxBytes = maxBytes
  }
}

/** Estimates the JSON size of the traces of one response and stops what gets too large. */
export class TraceBudget {
  readonly #maxBytes: number
  #spent = 0

  /** @param maxBytes size of the response */
  constructor(maxBytes: number) {
    this.#maxBytes = maxBytes
  }

  /** Bytes used. */
  get spent(): number {
    return this.#spent
  }

  /** @throws TraceTooLargeError */
  spend(bytes: number): void {
    this.#spent += bytes
    if (this.#spent > this.#maxBytes) throw new TraceTooLargeError(this.#maxBytes)
  }
}
