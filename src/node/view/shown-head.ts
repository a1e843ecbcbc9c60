import type { Snapshot } from '../../state/snapshot.ts'
import type { Head } from '../machine/head.ts'
import { withFinality } from '../machine/head-transitions.ts'
import type { UnwoundBlock } from '../machine/unwinding.ts'

/**
 * Owns the base of the head that a node shows: a replaced base is released. Blocks that were shown as finalized stay
 * finalized when the base or the finality depth changes.
 */
export class ShownHead {
  #base: Snapshot | undefined
  /** Highest block that was shown as finalized. */
  #finalized = 0

  /** Takes the base of the next head over. @returns the head with the finality to show */
  swap(next: Head): Head {
    if (next.base !== this.#base) {
      this.#base?.release()
      this.#base = next.base
    }
    const { latest, safe, finalized } = next.sealed
    this.#finalized = Math.min(latest, Math.max(this.#finalized, finalized))
    return finalized === this.#finalized ? next : withFinality(next, { safe, finalized: this.#finalized })
  }

  /** Marks blocks up to `number` as finalized: they were before this process started or restored its chain. */
  keepFinalized(number: number): void {
    this.#finalized = Math.max(this.#finalized, number)
  }

  /** A replica whose source has another chain, and a development node, may unwind below the finalized block. */
  unwind(blocks: readonly UnwoundBlock[]): void {
    for (const { block, wasSealed } of blocks) {
      if (wasSealed) this.#finalized = Math.min(this.#finalized, block.header.number - 1)
    }
  }

  /** Releases the base of the head. */
  release(): void {
    this.#base?.release()
    this.#base = undefined
  }
}
