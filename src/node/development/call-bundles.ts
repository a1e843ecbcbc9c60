import type { Hash } from '../../primitives/hex.ts'

/** Bundles that are remembered; the oldest one is forgotten first. */
const MAX_BUNDLES = 10_000

/** Calls that were sent together (EIP-5792). */
export interface CallBundle {
  readonly id: string
  /** The transactions that make the calls; one if they are atomic. */
  readonly transactions: readonly Hash[]
  readonly isAtomic: boolean
}

/** The bundles of a development node, in memory: a restart forgets them. */
export class CallBundles {
  readonly #bundles = new Map<string, CallBundle>()

  get(id: string): CallBundle | undefined {
    return this.#bundles.get(id)
  }

  add(bundle: CallBundle): void {
    const [oldest] = this.#bundles.keys()
    if (oldest !== undefined && this.#bundles.size >= MAX_BUNDLES) this.#bundles.delete(oldest)
    this.#bundles.set(bundle.id, bundle)
  }
}
