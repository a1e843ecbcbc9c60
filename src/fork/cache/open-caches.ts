import type { Bytes } from '../../primitives/hex.ts'
import type { ByteCache } from '../../storage/byte-cache.ts'

/** A cache with its number of users in this process. */
interface OpenCache {
  readonly cache: ByteCache
  users: number
  /** Set while the cache is being closed after its last user. */
  closing: Promise<void> | undefined
}

/**
 * Caches that are open, by path. Users of one path share one cache, because LMDB must not open a file twice in a
 * process. The cache is closed after its last user, who does not touch it any more by then: reading a closed LMDB
 * environment would end the process.
 */
export class OpenCaches {
  readonly #caches = new Map<string, OpenCache>()

  /** Whether a cache is open, or being closed. */
  has(path: string): boolean {
    return this.#caches.has(path)
  }

  /**
   * The cache at a path; closing it ends this use of it.
   *
   * @param open called unless the cache is open
   * @throws errors of `open`
   */
  async use(path: string, open: () => ByteCache): Promise<ByteCache> {
    let found = this.#caches.get(path)
    while (found?.closing !== undefined) {
      await found.closing
      found = this.#caches.get(path)
    }
    const used = found ?? { cache: open(), users: 0, closing: undefined }
    this.#caches.set(path, used)
    used.users += 1
    return new UsedCache(used.cache, () => this.#release(path, used))
  }

  async #release(path: string, used: OpenCache): Promise<void> {
    used.users -= 1
    if (used.users > 0) return
    used.closing = used.cache.close().finally(() => this.#caches.delete(path))
    await used.closing
  }
}

/** One use of a shared cache. After `close` it has no values. */
class UsedCache implements ByteCache {
  readonly #release: () => Promise<void>
  #cache: ByteCache | undefined

  constructor(cache: ByteCache, release: () => Promise<void>) {
    this.#cache = cache
    this.#release = release
  }

  get bytes(): number {
    return this.#cache?.bytes ?? 0
  }

  get(key: Bytes): Bytes | undefined {
    return this.#cache?.get(key)
  }

  put(key: Bytes, value: Bytes): void {
    this.#cache?.put(key, value)
  }

  async flush(): Promise<void> {
    await this.#cache?.flush()
  }

  async close(): Promise<void> {
    if (this.#cache === undefined) return
    this.#cache = undefined
    await this.#release()
  }
}
