export interface BoundedCacheOptions {
  /** Total size of the values, as given to `set`. */
  readonly maxBytes: number
}

interface CachedValue<Value> {
  readonly value: Value
  readonly bytes: number
}

/** Least-recently-used cache bounded by size in bytes. */
export class BoundedCache<Key, Value> {
  readonly #maxBytes: number
  /** Least recently used first. */
  readonly #values = new Map<Key, CachedValue<Value>>()
  #bytes = 0

  constructor({ maxBytes }: BoundedCacheOptions) {
    this.#maxBytes = maxBytes
  }

  /** Total size of the values. */
  get bytes(): number {
    return this.#bytes
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

  /** Like `set`, but ignores a value larger than the whole cache instead of evicting others for it. */
  offer(key: Key, value: Value, bytes: number): void {
    if (bytes <= this.#maxBytes) this.set(key, value, bytes)
    else this.#remove(key)
  }

  #remove(key: Key): void {
    this.#bytes -= this.#values.get(key)?.bytes ?? 0
    this.#values.delete(key)
  }
}
