import type { Hash } from '../../primitives/hex.ts'

interface Options {
  /** Blocks with cached values; the least recently used one is evicted first. */
  readonly maxBlocks: number
  /** Cached values per block; further values are computed but not cached. */
  readonly maxPerBlock: number
}

/** Called with `hit` when the value is cached or already being computed. */
export type OnLookup = (outcome: 'hit' | 'miss') => void

/** Values read at blocks, keyed by block hash, so that they never change. Concurrent lookups share one promise. */
export class BlockCache<V> {
  readonly #options: Options
  readonly #blocks = new Map<Hash, Map<string, Promise<V>>>()
  readonly #onLookup: OnLookup | undefined

  constructor(options: Options, deps: { readonly onLookup?: OnLookup | undefined } = {}) {
    this.#options = options
    this.#onLookup = deps.onLookup
  }

  /** @param load called synchronously on a miss */
  get(hash: Hash, key: string, load: () => Promise<V>): Promise<V> {
    const values = this.#valuesOf(hash)
    const cached = values.get(key)
    this.#onLookup?.(cached === undefined ? 'miss' : 'hit')
    if (cached !== undefined) return cached
    const loaded = load()
    if (values.size < this.#options.maxPerBlock) {
      values.set(key, loaded)
      // Failures are not cached.
      loaded.catch(() => values.delete(key))
    }
    return loaded
  }

  #valuesOf(hash: Hash): Map<string, Promise<V>> {
    const values = this.#blocks.get(hash) ?? new Map<string, Promise<V>>()
    this.#blocks.delete(hash)
    this.#blocks.set(hash, values)
    if (this.#blocks.size > this.#options.maxBlocks) {
      const [oldest] = this.#blocks.keys()
      this.#blocks.delete(oldest!)
    }
    return values
  }
}
