import type { Hash } from '../primitives/hex.ts'

interface Options {
  /** Blocks whose values are kept; the one that was asked for longest ago goes first. */
  readonly maxBlocks: number
  /** Values of one block; further ones are made, but not kept. */
  readonly maxPerBlock: number
}

/** Hears whether what was asked for was known, or on its way. */
export type OnLookup = (outcome: 'hit' | 'miss') => void

/** What was read at blocks, by hash: it never changes. Who asks for what is being read gets the same promise. */
export class BlockCache<V> {
  readonly #options: Options
  readonly #blocks = new Map<Hash, Map<string, Promise<V>>>()

  readonly #onLookup: OnLookup | undefined

  constructor(options: Options, parts: { readonly onLookup?: OnLookup | undefined } = {}) {
    this.#options = options
    this.#onLookup = parts.onLookup
  }

  /** @param make called at once, if at all */
  get(hash: Hash, key: string, make: () => Promise<V>): Promise<V> {
    const values = this.#valuesOf(hash)
    const known = values.get(key)
    this.#onLookup?.(known === undefined ? 'miss' : 'hit')
    if (known !== undefined) return known
    const made = make()
    if (values.size < this.#options.maxPerBlock) {
      values.set(key, made)
      // A failure is no value to keep.
      made.catch(() => values.delete(key))
    }
    return made
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
