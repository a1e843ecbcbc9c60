import { diffSize } from '../../state/diff.ts'
import type { Clock } from '../core/clock.ts'
import type { BuiltBlock } from '../machine/head.ts'
import { changesOf, leavesState } from '../machine/head-transitions.ts'

/** Held blocks are part of every head. */
const MAX_HELD_BLOCKS = 32
/** Accounts and slots of held blocks: some ten megabytes. */
const MAX_HELD_ITEMS = 100_000

export interface BlockWriterOptions {
  /** Sealed blocks that may wait to be written; above it, `room` waits. */
  readonly maxBehind: number
  /**
   * Changed accounts and slots up to which waiting blocks share a commit. Default: 0: only blocks that leave the state
   * as it is share that of the block before them.
   */
  readonly sharedItems?: number
  /** A commit waits until there are this many blocks, or as long. Default: it does not wait. */
  readonly gathering?: Gathering | undefined
}

/** Blocks of a commit that are worth waiting for. */
export interface Gathering {
  readonly blocks: number
  readonly waitMs: number
}

export interface BlockWriterDeps {
  /**
   * Makes consecutive sealed blocks durable in the store, in one atomic commit. Calls `onAssembled` when only the disk
   * is waited for.
   */
  readonly write: (blocks: readonly BuiltBlock[], onAssembled: () => void) => Promise<void>
  /** Writing failed; nothing more is written. */
  readonly onFailure: (error: unknown) => void
  /** Needed for `gathering`. */
  readonly clock?: Pick<Clock, 'monotonic' | 'at'>
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
  /** Blocks of the commit in progress if only the disk is waited for. */
  #assembled = 0
  /** Ends the wait for more blocks. */
  #cancelWait: (() => void) | undefined
  /** Blocks that were enqueued so far are written without waiting for more. */
  #isDue = false

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
    if (this.#working === undefined && !this.#isDue) this.#gather()
  }

  /** Resolves when one more block may be sealed. */
  async room(): Promise<void> {
    while (this.#queue.length >= this.#options.maxBehind && !this.#hasFailed) await this.#change()
  }

  /**
   * As `room`, for many blocks that leave the state as it is: blocks of a commit that waits only for the disk do not
   * count, so that the next ones are made meanwhile.
   */
  async roomForUnchanged(): Promise<void> {
    while (this.#queue.length - this.#assembled >= this.#options.maxBehind && !this.#hasFailed) await this.#change()
  }

  /** Resolves when everything enqueued is written except held blocks, or writing failed. */
  async idle(): Promise<void> {
    this.#writeNow()
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

  #gather(): void {
    const { gathering } = this.#options
    const { clock } = this.#deps
    if (gathering === undefined || clock === undefined || this.#cancelWait !== undefined) return
    this.#cancelWait = clock.at(clock.monotonic() + gathering.waitMs, () => this.#writeNow())
  }

  #writeNow(): void {
    this.#cancelWait?.()
    this.#cancelWait = undefined
    this.#isDue = this.#queue.length > 0
    this.#start()
  }

  /** The oldest block, if it is to be written now. */
  #next(): BuiltBlock | undefined {
    const [next] = this.#queue
    if (this.#isPaused || next === undefined) return undefined
    if (next.block.header.number > this.#heldAbove && this.#canHold()) return undefined
    const { gathering } = this.#options
    const isWorthIt = this.#isDue || gathering === undefined || this.#queue.length >= gathering.blocks
    return isWorthIt ? next : undefined
  }

  /** The blocks of the next commit. */
  #together(): readonly BuiltBlock[] {
    const { sharedItems = 0 } = this.#options
    const [first, ...others] = this.#queue
    const blocks = [first!]
    let items = sizeOf(first!)
    // When even the first block is too much to hold, holding the others would store them one by one.
    const end = first!.block.header.number > this.#heldAbove ? Number.POSITIVE_INFINITY : this.#heldAbove
    for (const block of others) {
      const isUnchanged = leavesState(block)
      if (!isUnchanged) items += sizeOf(block)
      if (block.block.header.number > end || (!isUnchanged && items > sharedItems)) break
      blocks.push(block)
    }
    return blocks
  }

  #canHold(): boolean {
    if (this.#queue.length > Math.min(MAX_HELD_BLOCKS, this.#options.maxBehind / 2)) return false
    return this.#queue.reduce((items, block) => items + sizeOf(block), 0) <= MAX_HELD_ITEMS
  }

  async #work(): Promise<void> {
    try {
      while (this.#next() !== undefined) {
        const blocks = this.#together()
        await this.#deps.write(blocks, () => {
          this.#assembled = blocks.length
          this.#wake()
        })
        this.#assembled = 0
        this.#queue.splice(0, blocks.length)
        this.#wake()
      }
    } catch (error) {
      this.#hasFailed = true
      this.#deps.onFailure(error)
    } finally {
      this.#isDue = false
      if (!this.#hasFailed) {
        this.#working = undefined
        if (this.#queue.length > 0) this.#gather()
      }
      this.#wake()
    }
  }

  /** Resolves when the queue has changed. */
  #change(): Promise<void> {
    return new Promise((resolve) => this.#waiting.push(resolve))
  }

  #wake(): void {
    const waiting = this.#waiting
    this.#waiting = []
    for (const resolve of waiting) resolve()
  }
}

/** Changed accounts and slots. */
function sizeOf(block: BuiltBlock): number {
  return changesOf(block).reduce((items, { diff }) => items + diffSize(diff), 0)
}
