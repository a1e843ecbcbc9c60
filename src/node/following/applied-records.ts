/** Lets callers wait until a record is applied and shown. */
export class AppliedRecords {
  #sequence = 0
  /** Callers by the record that they wait for. */
  readonly #waiting = new Map<number, (() => void)[]>()

  /** Resolves when a record is applied and shown. */
  applied(sequence: number): Promise<void> {
    if (sequence <= this.#sequence) return Promise.resolve()
    return new Promise((resolve) => {
      const waiting = this.#waiting.get(sequence)
      if (waiting === undefined) this.#waiting.set(sequence, [resolve])
      else waiting.push(resolve)
    })
  }

  /** Call when all records up to `sequence` are applied and shown. */
  advance(sequence: number): void {
    this.#sequence = sequence
    for (const [awaited, waiting] of this.#waiting) {
      if (awaited > sequence) continue
      this.#waiting.delete(awaited)
      for (const resolve of waiting) resolve()
    }
  }
}
