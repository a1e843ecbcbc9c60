import type { LogRecord } from '../../storage/segment-frame.ts'

/** The newest records of a log in memory, for followers that have caught up. */
export class RecordTail {
  readonly #maxBytes: number
  /** Consecutive records. */
  #records: LogRecord[] = []
  #bytes = 0

  /** @param maxBytes of retained records; the newest one is always retained */
  constructor({ maxBytes }: { readonly maxBytes: number }) {
    this.#maxBytes = maxBytes
  }

  add(record: LogRecord): void {
    this.#records.push(record)
    this.#bytes += record.payload.length
    let gone = 0
    while (this.#bytes > this.#maxBytes && gone < this.#records.length - 1) {
      this.#bytes -= this.#records[gone]!.payload.length
      gone += 1
    }
    if (gone > 0) this.#records.splice(0, gone)
  }

  /** Truncates: later records reuse the numbers after `sequence`. */
  discardAfter(sequence: number): void {
    this.#records = this.#records.filter((record) => record.sequence <= sequence)
    this.#bytes = this.#records.reduce((sum, { payload }) => sum + payload.length, 0)
  }

  /** Call when the log was reset. */
  clear(): void {
    this.#records = []
    this.#bytes = 0
  }

  /**
   * Records `from` to `to`: up to about `maxBytes`, but at least one.
   *
   * @returns undefined if the first of them is no longer retained
   */
  read(from: number, to: number, maxBytes: number): readonly LogRecord[] | undefined {
    const first = this.#records[0]?.sequence
    if (first === undefined || from < first) return undefined
    const found: LogRecord[] = []
    let bytes = 0
    for (let index = from - first; index <= to - first && index < this.#records.length; index += 1) {
      const record = this.#records[index]!
      found.push(record)
      bytes += record.payload.length
      if (bytes >= maxBytes) break
    }
    return found
  }
}
