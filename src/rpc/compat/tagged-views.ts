import { withFinality } from '../../node/machine/head-transitions.ts'
import { View } from '../../node/view/view.ts'
import type { Compat } from './compat.ts'

/** Blocks between `latest` and the tags in the reproduced node. */
const DEPTHS: Readonly<Record<Compat, { readonly safe: number; readonly finalized: number }>> = {
  anvil: { safe: 32, finalized: 64 },
  hardhat: { safe: 0, finalized: 0 },
}

/** Gives views the `safe` and `finalized` blocks of the node that is reproduced. */
export class TaggedViews {
  readonly #compat: Compat | undefined
  readonly #tagged = new WeakMap<View, View>()

  /** @param compat `undefined`: views keep the tags of this node */
  constructor(compat: Compat | undefined) {
    this.#compat = compat
  }

  /** Returns the same object for the same view: forecasts of the pending block are memoized by identity. */
  of(view: View): View {
    if (this.#compat === undefined) return view
    const known = this.#tagged.get(view)
    if (known !== undefined) return known
    const tagged = withTags(view, DEPTHS[this.#compat])
    this.#tagged.set(view, tagged)
    return tagged
  }
}

function withTags(
  { head, pool, isForecast }: View,
  depths: { readonly safe: number; readonly finalized: number },
): View {
  const below = (depth: number) => Math.max(0, head.sealed.latest - depth)
  const shown = withFinality(head, { safe: below(depths.safe), finalized: below(depths.finalized) })
  return new View(shown, pool, { isForecast })
}
