/** The part of `process.stdout` that is used. */
export interface LineOutput {
  readonly writableLength: number
  write(text: string): unknown
}

/** Characters that the reader of a pipe may leave unread before lines are dropped. */
const MAX_UNREAD = 1 << 20

/** Writes lines, and drops them while the reader is too slow, so that the memory stays bounded. */
export class LineWriter {
  readonly #output: LineOutput
  readonly #droppedLine: (count: number) => string
  #dropped = 0

  /** @param droppedLine the line that says how many lines are missing before it */
  constructor(output: LineOutput, droppedLine: (count: number) => string) {
    this.#output = output
    this.#droppedLine = droppedLine
  }

  write(line: string): void {
    if (this.#output.writableLength >= MAX_UNREAD) {
      this.#dropped += 1
      return
    }
    if (this.#dropped > 0) this.#output.write(`${this.#droppedLine(this.#dropped)}\n`)
    this.#dropped = 0
    this.#output.write(`${line}\n`)
  }
}
