import type { LogRecord } from '../../storage/segment-frame.ts'

/** The newest records of a log in memory, for followers that have caught up. */
export class RecordTail {
  readonly #maxBytes: number
  /** Consecutive records from `#first` on; those before are gone. */
  #records: LogRecord[] = []
  #first = 0
  #bytes = 0

  /** @param maxBytes of retained records; the newest one is always retained */
  constructor({ maxBytes }: { readonly maxBytes: number }) {
    this.#maxBytes = maxBytes
  }

  add(record: LogRecord): void {
    this.#records.push(record)
    this.#bytes += record.payload.length
    while (this.#bytes > this.#maxBytes && this.#first < this.#records.length - 1) {
      this.#bytes -= this.#records[this.#first]!.payload.length
      this.#first += 1
    }
    // Not with each record: it would move thousands of small ones.
    if (2 * this.#first > this.#records.length) this.#forget()
  }

  #forget(): void {
    this.#records.splice(0, this.#first)
    this.#first = 0
  }

  /** Truncates: later records reuse the numbers after `sequence`. */
  discardAfter(sequence: number): void {
    this.#forget()
    this.#records = this.#records.filter((record) => record.sequence <= sequence)
    this.#bytes = this.#records.reduce((sum, { payload }) => sum + payload.length, 0)
  }

  /** Call when the log was reset. */
  clear(): void {
    this.#records = []
    this.#first = 0
    this.#bytes = 0
  }

  /**
   * Records `from` to `to`: up to about `maxBytes`, but at least one.
   *
   * @returns undefined if the first of them is no longer retained
   */
  read(from: number, to: number, maxBytes: number): readonly LogRecord[] | undefined {
    const first = this.#records[this.#first]?.sequence
    if (first === undefined || from < first) return undefined
    const found: LogRecord[] = []
    let bytes = 0
    const start = this.#first + from - first
    for (let index = start; index <= start + to - from && index < this.#records.length; index += 1) {
      const record = this.#records[index]!
      found.push(record)
      bytes += record.payload.length
      if (bytes >= maxBytes) break
    }
    return found
  }
}
