import type { Flashblock } from '../engine/build-block.ts'
import { mergeDiffs } from '../state/diff.ts'
import type { MemoryChain } from '../state/memory-chain.ts'
import type { Head } from './head.ts'
import { extendPending, openPending, sealedTip, withFlashblock, withSeal } from './head-transitions.ts'
import type { Parent } from './sequencer.ts'

export interface AnnouncerOptions {
  /** Blocks between latest and finalized. */
  readonly finalityDepth: number
}

/** What one head swap shows, in the order in which listeners hear of it. */
export interface Announcement {
  readonly head: Head
  readonly flashblocks: readonly Flashblock[]
  /** Present when a block was sealed: after the first of `flashblocks` if there are two. */
  readonly sealed?: Flashblock
}

/**
 * Turns what the sequencer makes into heads. At the end of a block the last flashblock, the seal and the opening of
 * the next block become visible in one swap (design section 4), so a complete flashblock waits here for the opening.
 */
export class Announcer {
  readonly #options: AnnouncerOptions
  readonly #chain: MemoryChain
  readonly #publish: (announcement: Announcement) => void
  #head: Head | undefined
  #parent: Parent | undefined
  #complete: Flashblock | undefined

  constructor(
    options: AnnouncerOptions,
    parts: { readonly chain: MemoryChain; readonly publish: (announcement: Announcement) => void },
  ) {
    this.#options = options
    this.#chain = parts.chain
    this.#publish = parts.publish
  }

  /** A flashblock of the open block, visible at once. */
  announce(flashblock: Flashblock): void {
    const pending = extendPending(this.#head!.pending, flashblock, this.#parent!.state)
    this.#swap(withFlashblock(this.#head!, pending), [flashblock])
  }

  /** The open block's last flashblock: from now on it is history to build upon, visible with the next `open`. */
  seal(flashblock: Flashblock): Parent {
    const layers = [...this.#head!.pending.layers, flashblock.layer]
    const { block, receipts, trie } = flashblock
    this.#chain.append(block, receipts, mergeDiffs(layers.map(({ diff }) => diff)), trie)
    this.#complete = flashblock
    return { block, trie, state: this.#chain.snapshot().stateAt(block.header.number)! }
  }

  /** The next block's first flashblock. */
  open(first: Flashblock, parent: Parent): void {
    const complete = this.#complete
    this.#complete = undefined
    const pending = openPending(first, parent.state)
    const base = this.#chain.snapshot()
    const sealed = sealedTip(parent.block.header.number, this.#options.finalityDepth)
    const before = this.#head
    this.#parent = parent
    if (before === undefined || complete === undefined) {
      this.#swap(Object.freeze({ sequence: 0, base, recent: [], pending, sealed, partials: [new Map()] }), [first])
      return
    }
    const completed = withFlashblock(before, extendPending(before.pending, complete, parent.state))
    this.#swap(withSeal(completed, base, sealed, pending), [complete, first], complete)
  }

  #swap(head: Head, flashblocks: readonly Flashblock[], sealed?: Flashblock): void {
    this.#head = head
    this.#publish({ head, flashblocks, ...(sealed && { sealed }) })
  }
}
