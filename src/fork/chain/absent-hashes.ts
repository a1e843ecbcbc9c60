import { BoundedCache } from '../../primitives/bounded-cache.ts'
import type { MonotonicClock } from '../../primitives/clock.ts'
import type { Hash } from '../../primitives/hex.ts'

/** Long enough for the read that asked, and for clients that poll for a pending transaction. */
const LIFETIME_MS = 2_000
const MAX_HASHES = 10_000

/**
 * Hashes that the upstream did not know a moment ago. Never kept for longer: several nodes may answer behind one
 * address, and one that lags behind does not know every block up to the fork block.
 */
export class AbsentHashes {
  readonly #clock: Pick<MonotonicClock, 'monotonic'>
  /** When each of them may be asked for again. */
  readonly #ends = new BoundedCache<Hash, number>({ maxBytes: MAX_HASHES })

  constructor(deps: { readonly clock: Pick<MonotonicClock, 'monotonic'> }) {
    this.#clock = deps.clock
  }

  has(hash: Hash): boolean {
    return this.#clock.monotonic() < (this.#ends.get(hash) ?? 0)
  }

  add(hash: Hash): void {
    this.#ends.set(hash, this.#clock.monotonic() + LIFETIME_MS, 1)
  }
}
