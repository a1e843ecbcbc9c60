import type { Engine } from '../../engine/types.ts'
import type { AddressIndex } from '../../state/address-index/address-index.ts'
import type { Snapshot } from '../../state/snapshot.ts'
import { blockAppearances } from './block-appearances.ts'

interface Deps {
  readonly index: AddressIndex
  readonly engine: Engine
  /** The newest stored blocks. */
  readonly snapshot: () => Snapshot
  /** Lets other work of the thread run. */
  readonly yieldTurn: () => Promise<unknown>
}

/** Indexes stored blocks, each once, and those that replaced others. */
export class AddressIndexer {
  readonly #deps: Deps
  #isStopped = false

  constructor(deps: Deps) {
    this.#deps = deps
  }

  stop(): void {
    this.#isStopped = true
  }

  /** Indexes everything that is stored. @returns the newest indexed block */
  async catchUp(): Promise<number> {
    const { index, snapshot, yieldTurn } = this.#deps
    for (;;) {
      const stored = snapshot()
      try {
        const next = nextBlock(index, stored)
        if (next === undefined || this.#isStopped) return index.newest
        await this.#indexBlock(next, stored)
      } finally {
        stored.release()
      }
      await yieldTurn()
    }
  }

  async #indexBlock(number: number, stored: Snapshot): Promise<void> {
    const { index, engine } = this.#deps
    const block = stored.block(number)!
    const parentState = number === 0 ? undefined : stored.stateAt(number - 1)
    const appearances = parentState ? await blockAppearances(engine, { block, parentState }) : new Map()
    await index.write(number, block.hash, appearances)
  }
}

/** The first stored block that is not indexed, or that replaced an indexed one. Older state may be pruned. */
function nextBlock(index: AddressIndex, stored: Snapshot): number | undefined {
  let newest = Math.min(index.newest, stored.number)
  while (newest >= 0 && index.hashOf(newest) !== stored.blockHash(newest)) newest -= 1
  const next = Math.max(newest + 1, stored.oldestState === 0 ? 0 : stored.oldestState + 1)
  return next > stored.number ? undefined : next
}
