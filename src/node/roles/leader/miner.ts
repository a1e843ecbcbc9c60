import type { Header } from '../../../chain/block/header.ts'
import type { Clock } from '../../core/clock.ts'
import type { NextBlockSettings } from '../../development/next-block.ts'
import type { Announcer } from './announcer.ts'
import type { BlockAssembler, Mined } from './block-assembler.ts'
import type { Decision, NextBlock, OpeningTime } from './next-block.ts'

export interface MinerDeps {
  readonly assembler: BlockAssembler
  readonly announcer: Pick<Announcer, 'parent'>
  readonly nextBlock: NextBlock
  readonly clock: Clock
  /** The opening of a block now. */
  readonly opening: () => OpeningTime
  /** Whether the node is stopping. */
  readonly isHalted: () => boolean
}

/** Determines the settings of a block. @param index of the block in its request */
export type DecideBlock<Refusal> = (settings: NextBlockSettings, parent: Header, index: number) => Decision<Refusal>

/** Builds and seals whole blocks. One operation at a time. */
export class Miner {
  readonly #deps: MinerDeps

  constructor(deps: MinerDeps) {
    this.#deps = deps
  }

  /**
   * Mines blocks one after the other, also without transactions.
   *
   * @param isTimed whether `decide` determines timestamps: then an open block with transactions is sealed before
   * @param decide a refusal ends the work
   */
  async mine<Refusal>(
    { blocks, isTimed }: { readonly blocks: number; readonly isTimed: boolean },
    decide: DecideBlock<Refusal>,
  ): Promise<Refusal | undefined> {
    const { assembler, announcer, nextBlock, opening, isHalted } = this.#deps
    for (let index = 0; index < blocks && !isHalted(); index++) {
      if (isTimed && !assembler.isEmpty) await assembler.reopen(opening)
      const decision = decide(nextBlock.settings, announcer.parent().block.header, index)
      if (decision.settings === undefined) return decision.refused
      nextBlock.settings = decision.settings
      await this.#mine({ isEmptyAllowed: true })
    }
    return undefined
  }

  /** Mines the executable transactions of the pool, in as many blocks as they need. */
  async include(): Promise<void> {
    const { assembler, isHalted } = this.#deps
    for (let isFull = assembler.hasCandidates(); isFull && !isHalted(); ) {
      const mined = await this.#mine({ isEmptyAllowed: false })
      isFull = mined.isFull
    }
  }

  #mine({ isEmptyAllowed }: { readonly isEmptyAllowed: boolean }): Promise<Mined> {
    const { assembler, clock, opening } = this.#deps
    return assembler.mine({ wallMs: clock.wall(), leadMs: 0, replaced: 0n }, { next: opening, isEmptyAllowed })
  }
}
