import { withFinality } from '../../node/machine/head-transitions.ts'
import { View } from '../../node/view/view.ts'
import type { NodeConventions } from './node-conventions.ts'

/** Gives views the `safe` and `finalized` blocks of the node that is reproduced. */
export class TaggedViews {
  readonly #depths: NodeConventions['tagDepths']
  readonly #tagged = new WeakMap<View, View>()

  /** @param conventions without depths: views keep the tags of this node */
  constructor({ tagDepths }: Pick<NodeConventions, 'tagDepths'>) {
    this.#depths = tagDepths
  }

  /** Returns the same object for the same view: forecasts of the pending block are memoized by identity. */
  of(view: View): View {
    if (this.#depths === undefined) return view
    const known = this.#tagged.get(view)
    if (known !== undefined) return known
    const tagged = withTags(view, this.#depths)
    this.#tagged.set(view, tagged)
    return tagged
  }
}

function withTags({ head, pool, isForecast }: View, depths: NonNullable<NodeConventions['tagDepths']>): View {
  const below = (depth: number) => Math.max(0, head.sealed.latest - depth)
  const shown = withFinality(head, { safe: below(depths.safe), finalized: below(depths.finalized) })
  return new View(shown, pool, { isForecast })
}
