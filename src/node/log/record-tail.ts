import type { LogRecord } from '../../storage/segment-frame.ts'

/** The newest records of a log in memory, for followers that have caught up. */
export class RecordTail {
  readonly #maxBytes: number
  /** They follow each other. */
  #records: LogRecord[] = []
  #bytes = 0

  /** @param maxBytes of records that are kept; the newest one in any case */
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

  /** Truncates: the numbers after `sequence` are used again. */
  discardAfter(sequence: number): void {
    this.#records = this.#records.filter((record) => record.sequence <= sequence)
    this.#bytes = this.#records.reduce((sum, { payload }) => sum + payload.length, 0)
  }

  /** The log was reset. */
  clear(): void {
    this.#records = []
    this.#bytes = 0
  }

  /**
   * The records from `from` to `to`, up to about `maxBytes` but one at least.
   *
   * @returns undefined where the first of them is not here any more
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
