import type { BuiltBlock } from '../replay/head.ts'

export interface BlockWriterOptions {
  /** Sealed blocks that may wait to be written; above it, `room` waits. */
  readonly maxBehind: number
}

export interface BlockWriterDeps {
  /** Makes one sealed block durable in the store, in one atomic commit. */
  readonly write: (block: BuiltBlock) => Promise<void>
  /** Writing failed; nothing more is written. */
  readonly onFailure: (error: unknown) => void
}

/** Writes sealed blocks in order, in the background. */
export class BlockWriter {
  readonly #options: BlockWriterOptions
  readonly #deps: BlockWriterDeps
  readonly #queue: BuiltBlock[] = []
  #working: Promise<void> | undefined
  #hasFailed = false
  #waiting: (() => void)[] = []

  constructor(options: BlockWriterOptions, deps: BlockWriterDeps) {
    this.#options = options
    this.#deps = deps
  }

  /** Sealed blocks that are not in the store yet. */
  get behind(): number {
    return this.#queue.length
  }

  enqueue(block: BuiltBlock): void {
    this.#queue.push(block)
    this.#working ??= this.#work()
  }

  /** Resolves when one more block may be sealed. */
  async room(): Promise<void> {
    while (this.#queue.length >= this.#options.maxBehind && !this.#hasFailed) {
      await new Promise<void>((resolve) => this.#waiting.push(resolve))
    }
  }

  /** Resolves when everything enqueued is written, or writing failed. */
  async idle(): Promise<void> {
    await this.#working
  }

  async #work(): Promise<void> {
    try {
      for (let next = this.#queue[0]; next !== undefined; next = this.#queue[0]) {
        await this.#deps.write(next)
        this.#queue.shift()
        this.#wake()
      }
    } catch (error) {
      this.#hasFailed = true
      this.#deps.onFailure(error)
    } finally {
      if (!this.#hasFailed) this.#working = undefined
      this.#wake()
    }
  }

  #wake(): void {
    const waiting = this.#waiting
    this.#waiting = []
    for (const resolve of waiting) resolve()
  }
}
