import { BoundedCache } from '../primitives/bounded-cache.ts'
import type { Bytes } from '../primitives/hex.ts'

/** Values by key that can be obtained again: any of them may be gone at any time. Reads are synchronous. */
export interface ByteCache {
  /** A copy, or bytes that never change. */
  get(key: Bytes): Bytes | undefined
  /** Visible to `get` at once. The value must not change afterwards. */
  put(key: Bytes, value: Bytes): void
  /** Size of the values, roughly. */
  readonly bytes: number
  /** Resolves when everything put so far is stored. */
  flush(): Promise<void>
  close(): Promise<void>
}

/** Bytes that an entry takes besides key and value. */
const ENTRY_BYTES = 200

/** A cache of this process. */
export class MemoryCache implements ByteCache {
  readonly #values: BoundedCache<string, Bytes>

  constructor(options: { readonly maxBytes: number }) {
    this.#values = new BoundedCache(options)
  }

  get bytes(): number {
    return this.#values.bytes
  }

  get(key: Bytes): Bytes | undefined {
    return this.#values.get(keyText(key))
  }

  put(key: Bytes, value: Bytes): void {
    this.#values.offer(keyText(key), value, ENTRY_BYTES + key.length + value.length)
  }

  async flush(): Promise<void> {}

  async close(): Promise<void> {}
}

/** A part of another cache, which it does not own: keys are preceded by a prefix. */
export class PrefixedCache implements ByteCache {
  readonly #prefix: Bytes
  readonly #cache: ByteCache

  constructor(prefix: Bytes, cache: ByteCache) {
    this.#prefix = prefix
    this.#cache = cache
  }

  get bytes(): number {
    return this.#cache.bytes
  }

  get(key: Bytes): Bytes | undefined {
    return this.#cache.get(Buffer.concat([this.#prefix, key]))
  }

  put(key: Bytes, value: Bytes): void {
    this.#cache.put(Buffer.concat([this.#prefix, key]), value)
  }

  flush(): Promise<void> {
    return this.#cache.flush()
  }

  async close(): Promise<void> {}
}

/** A key for maps. */
export function keyText(key: Bytes): string {
  return Buffer.from(key.buffer, key.byteOffset, key.length).toString('latin1')
}
