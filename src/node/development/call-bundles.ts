import type { Hash } from '../../primitives/hex.ts'

/** Bundles that are remembered; the oldest one is forgotten first. */
export const MAX_REMEMBERED_BUNDLES = 10_000

/** Calls that were sent together (EIP-5792). */
export interface CallBundle {
  readonly id: string
  /** The transactions that make the calls; one if they are atomic. */
  readonly transactions: readonly Hash[]
  readonly isAtomic: boolean
  /** Whether all calls were sent: after a refusal, the later ones are not. */
  readonly isComplete: boolean
}

/** The bundles of a development node, in memory: a restart forgets them. */
export class CallBundles {
  readonly #bundles = new Map<string, CallBundle>()
  /** Ids of bundles whose calls are being sent. */
  readonly #reserved = new Set<string>()

  get(id: string): CallBundle | undefined {
    return this.#bundles.get(id)
  }

  /** Reserves an id until `add` or `release`. @returns false if it is in use */
  reserve(id: string): boolean {
    if (this.#bundles.has(id) || this.#reserved.has(id)) return false
    this.#reserved.add(id)
    return true
  }

  release(id: string): void {
    this.#reserved.delete(id)
  }

  add(bundle: CallBundle): void {
    this.#reserved.delete(bundle.id)
    const [oldest] = this.#bundles.keys()
    if (oldest !== undefined && this.#bundles.size >= MAX_REMEMBERED_BUNDLES) this.#bundles.delete(oldest)
    this.#bundles.set(bundle.id, bundle)
  }
}
