import type { Hash } from '../../primitives/hex.ts'

/**
 * Hashes of transactions in the order in which they entered the pool, numbered from 0. The newest ones are cached, once
 * for all filters.
 */
export class PooledHashes {
  readonly #capacity: number
  readonly #ring: Hash[] = []
  #count = 0

  constructor(options: { readonly capacity: number }) {
    this.#capacity = options.capacity
  }

  /** Number of the next hash. */
  get count(): number {
    return this.#count
  }

  add(hash: Hash): void {
    this.#ring[this.#count % this.#capacity] = hash
    this.#count += 1
  }

  /** At most `limit` hashes from number `first` on; `undefined`: some are not cached any more. */
  from(first: number, limit: number): readonly Hash[] | undefined {
    if (this.#count - first > this.#capacity) return undefined
    const length = Math.min(limit, this.#count - first)
    return Array.from({ length }, (_, index) => this.#ring[(first + index) % this.#capacity]!)
  }

  /** Drops the cached hashes; numbering continues. */
  clear(): void {
    this.#ring.length = 0
  }
}
