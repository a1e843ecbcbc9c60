const BUCKETS = 256

/** The entries of a `SnapshotMap` at one instant. */
export interface MapSnapshot<Key extends string, Value> {
  readonly size: number
  get(key: Key): Value | undefined
  keys(): Iterable<Key>
}

/**
 * A map with snapshots at no cost: a write after a snapshot copies only the bucket of its key. Every request captures
 * the pool, so copying the whole map would be too expensive. Keys are hashes or addresses: their last two hex digits
 * select the bucket.
 */
export class SnapshotMap<Key extends string, Value> {
  #buckets: Map<Key, Value>[] = Array.from({ length: BUCKETS }, () => new Map())
  /** Buckets that no snapshot shares, at most `BUCKETS`; `undefined`: the array itself is shared too. */
  #owned: Set<number> | undefined = new Set(this.#buckets.keys())
  #size = 0
  #snapshot: MapSnapshot<Key, Value> | undefined

  get size(): number {
    return this.#size
  }

  get(key: Key): Value | undefined {
    return this.#buckets[bucketOf(key)]!.get(key)
  }

  set(key: Key, value: Value): void {
    const bucket = this.#own(bucketOf(key))
    if (!bucket.has(key)) this.#size += 1
    bucket.set(key, value)
  }

  delete(key: Key): boolean {
    if (this.get(key) === undefined) return false
    this.#size -= 1
    return this.#own(bucketOf(key)).delete(key)
  }

  *values(): Iterable<Value> {
    for (const bucket of this.#buckets) yield* bucket.values()
  }

  *keys(): Iterable<Key> {
    for (const bucket of this.#buckets) yield* bucket.keys()
  }

  /** The same object until the next write. */
  snapshot(): MapSnapshot<Key, Value> {
    this.#snapshot ??= snapshotOf(this.#buckets, this.#size)
    this.#owned = undefined
    return this.#snapshot
  }

  #own(index: number): Map<Key, Value> {
    this.#snapshot = undefined
    if (this.#owned === undefined) {
      this.#buckets = this.#buckets.slice()
      this.#owned = new Set()
    }
    if (!this.#owned.has(index)) {
      this.#buckets[index] = new Map(this.#buckets[index])
      this.#owned.add(index)
    }
    return this.#buckets[index]!
  }
}

function snapshotOf<Key extends string, Value>(
  buckets: readonly ReadonlyMap<Key, Value>[],
  size: number,
): MapSnapshot<Key, Value> {
  return {
    size,
    get: (key) => buckets[bucketOf(key)]!.get(key),
    *keys() {
      for (const bucket of buckets) yield* bucket.keys()
    },
  }
}

function bucketOf(key: string): number {
  return (hexDigit(key.charCodeAt(key.length - 2)) << 4) | hexDigit(key.charCodeAt(key.length - 1))
}

function hexDigit(code: number): number {
  return code < 58 ? code - 48 : code - 87
}
