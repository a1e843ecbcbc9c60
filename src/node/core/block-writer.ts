import { diffSize, isEmptyDiff } from '../../state/diff.ts'
import type { BuiltBlock } from '../replay/head.ts'
import { changesOf } from '../replay/head-transitions.ts'

/** Held blocks are part of every head. */
const MAX_HELD_BLOCKS = 32
/** Accounts and slots of held blocks: some ten megabytes. */
const MAX_HELD_ITEMS = 100_000

export interface BlockWriterOptions {
  /** Sealed blocks that may wait to be written; above it, `room` waits. */
  readonly maxBehind: number
}

export interface BlockWriterDeps {
  /**
   * Makes a sealed block durable in the store, in one atomic commit.
   *
   * @param unchanged blocks after it that leave the state as it is
   */
  readonly write: (block: BuiltBlock, unchanged: readonly BuiltBlock[]) => Promise<void>
  /** Writing failed; nothing more is written. */
  readonly onFailure: (error: unknown) => void
}

/** Writes sealed blocks in order, in the background. */
export class BlockWriter {
  readonly #options: BlockWriterOptions
  readonly #deps: BlockWriterDeps
  readonly #queue: BuiltBlock[] = []
  #working: Promise<void> | undefined
  #isPaused = false
  /** Blocks above this height are likely to be unwound. */
  #heldAbove = Number.POSITIVE_INFINITY
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
    this.#start()
  }

  /** Resolves when one more block may be sealed. */
  async room(): Promise<void> {
    while (this.#queue.length >= this.#options.maxBehind && !this.#hasFailed) {
      await new Promise<void>((resolve) => this.#waiting.push(resolve))
    }
  }

  /** Resolves when everything enqueued is written except held blocks, or writing failed. */
  async idle(): Promise<void> {
    await this.#working
  }

  /**
   * Holds back the newest blocks above a height, so that they can be unwound without the store: as many as leave room
   * for others, if they are small.
   *
   * @param number `undefined`: none
   */
  holdAbove(number: number | undefined): void {
    this.#heldAbove = number ?? Number.POSITIVE_INFINITY
    this.#start()
  }

  /** Resolves when no block is being written, and none will be until `resume`. */
  async pause(): Promise<void> {
    this.#isPaused = true
    await this.#working
  }

  resume(): void {
    this.#isPaused = false
    this.#start()
  }

  /** Removes enqueued blocks above a height, while it is paused. */
  discardAbove(number: number): void {
    const kept = this.#queue.filter(({ block }) => block.header.number <= number)
    this.#queue.splice(0, this.#queue.length, ...kept)
    this.#wake()
  }

  #start(): void {
    if (this.#working === undefined && this.#next() !== undefined) this.#working = this.#work()
  }

  #next(): BuiltBlock | undefined {
    const [next] = this.#queue
    if (this.#isPaused || next === undefined) return undefined
    return next.block.header.number > this.#heldAbove && this.#canHold() ? undefined : next
  }

  #unchangedAfterNext(): readonly BuiltBlock[] {
    const first = this.#queue.findIndex((block, index) => index > 0 && !leavesState(block))
    const unchanged = this.#queue.slice(1, first < 0 ? undefined : first)
    // When even the next block is too much to hold, holding those would store them one by one.
    if (this.#queue[0]!.block.header.number > this.#heldAbove) return unchanged
    return unchanged.filter(({ block }) => block.header.number <= this.#heldAbove)
  }

  #canHold(): boolean {
    if (this.#queue.length > Math.min(MAX_HELD_BLOCKS, this.#options.maxBehind / 2)) return false
    let items = 0
    for (const block of this.#queue) for (const { diff } of changesOf(block)) items += diffSize(diff)
    return items <= MAX_HELD_ITEMS
  }

  async #work(): Promise<void> {
    try {
      for (let next = this.#next(); next !== undefined; next = this.#next()) {
        const unchanged = this.#unchangedAfterNext()
        await this.#deps.write(next, unchanged)
        this.#queue.splice(0, 1 + unchanged.length)
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

function leavesState({ layers, prelude }: BuiltBlock): boolean {
  return prelude === undefined && layers.every(({ diff, receipts }) => receipts.length === 0 && isEmptyDiff(diff))
}
