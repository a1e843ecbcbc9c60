import { View } from '../../node/core/view.ts'
import { withFinality } from '../../node/replay/head-transitions.ts'
import type { Compat } from './compat.ts'

/** Blocks between `latest` and `finalized` in the reproduced node. */
const FINALITY_DEPTHS: Readonly<Record<Compat, number>> = { anvil: 64, hardhat: 0 }

/**
 * How many blocks `finalized` lies behind `latest` where a node is reproduced; `undefined` without one.
 *
 * @param chosen the value of `--finality-depth`
 */
export function reproducedFinalityDepth(compat: Compat | undefined, chosen: number | undefined): number | undefined {
  return compat && (chosen ?? FINALITY_DEPTHS[compat])
}

/**
 * Views whose tags are those of a reproduced node: `finalized` lies a fixed number of blocks behind `latest`, `safe`
 * half as many.
 */
export class TaggedViews {
  readonly #depth: number | undefined
  #newest: { readonly of: View; readonly view: View } | undefined

  /** @param depth blocks between `latest` and `finalized`; `undefined`: views keep the tags of the node */
  constructor(depth: number | undefined) {
    this.#depth = depth
  }

  /** The same view for the same argument, as forecasts of a view are memoized. */
  of(view: View): View {
    if (this.#depth === undefined) return view
    if (this.#newest?.of !== view) this.#newest = { of: view, view: tagged(view, this.#depth) }
    return this.#newest.view
  }
}

function tagged({ head, pool, isForecast }: View, depth: number): View {
  const { latest } = head.sealed
  const behind = (blocks: number) => Math.max(0, latest - blocks)
  return new View(withFinality(head, { safe: behind(Math.floor(depth / 2)), finalized: behind(depth) }), pool, {
    isForecast,
  })
}
