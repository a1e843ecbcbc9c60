export interface BoundedCacheOptions {
  /** Of all values together, as `set` is told. */
  readonly maxBytes: number
}

interface CachedValue<Value> {
  readonly value: Value
  readonly bytes: number
}

/** Values that can be had again, within a bound; what was not used for longest goes first. */
export class BoundedCache<Key, Value> {
  readonly #maxBytes: number
  /** The least recently used first. */
  readonly #values = new Map<Key, CachedValue<Value>>()
  #bytes = 0

  constructor({ maxBytes }: BoundedCacheOptions) {
    this.#maxBytes = maxBytes
  }

  get(key: Key): Value | undefined {
    const found = this.#values.get(key)
    if (found === undefined) return undefined
    this.#values.delete(key)
    this.#values.set(key, found)
    return found.value
  }

  set(key: Key, value: Value, bytes: number): void {
    this.#remove(key)
    this.#values.set(key, { value, bytes })
    this.#bytes += bytes
    for (const oldest of this.#values.keys()) {
      if (this.#bytes <= this.#maxBytes) return
      this.#remove(oldest)
    }
  }

  /** As `set`, but what is larger than all values together may be is not kept, and none is forgotten for it. */
  offer(key: Key, value: Value, bytes: number): void {
    if (bytes <= this.#maxBytes) this.set(key, value, bytes)
    else this.#remove(key)
  }

  #remove(key: Key): void {
    this.#bytes -= this.#values.get(key)?.bytes ?? 0
    this.#values.delete(key)
  }
}
