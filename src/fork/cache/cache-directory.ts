import { rmSync, statSync } from 'node:fs'
import { join } from 'node:path'
import type { Hash } from '../../primitives/hex.ts'
import { isInUse, namesIn, SharedCache } from '../../storage/lmdb/shared-cache.ts'
import { FORK_CACHE_VERSION, ForkCache } from './fork-cache.ts'
import { OpenCaches } from './open-caches.ts'

export interface CacheDirectoryOptions {
  /** `<path>/<chain id>/<block number>-<start of the block hash>` is the cache of one fork. */
  readonly path: string
  /**
   * Maximum size of all caches below when one is opened. An open cache may grow to this size, and those in use are not
   * removed.
   */
  readonly maxBytes: number
}

/** The cache of one block. */
export interface CachePlace {
  readonly chainId: bigint
  readonly number: number
  /** A part of the name: another block of the same number has another cache. */
  readonly hash: Hash
}

/** All nodes of a process share its open caches. */
const OPEN = new OpenCaches()
const HASH_DIGITS = 16
const NAME = new RegExp(`^(\\d+)-[0-9a-f]{${HASH_DIGITS}}$`)

interface StoredCache {
  readonly path: string
  readonly chainId: bigint
  readonly number: number
  /** Time of the last use in milliseconds since 1970. */
  readonly usedAt: number
  readonly bytes: number
}

/** The caches of all forks of a user, which processes and runs share. */
export class CacheDirectory {
  readonly #options: CacheDirectoryOptions

  constructor(options: CacheDirectoryOptions) {
    this.#options = options
  }

  /**
   * Opens the cache of a fork. Where all caches together are too large, removes those that were not used for longest
   * and are not open in any process of this machine.
   */
  open({ chainId, number, hash }: CachePlace): Promise<ForkCache> {
    const { path, maxBytes } = this.#options
    const place = join(path, String(chainId), `${number}-${hash.slice(2, 2 + HASH_DIGITS)}`)
    this.#removeUnused(place)
    return openAt(place, maxBytes)
  }

  /** The cache that was used last for a block, without knowing its hash. */
  async openStored(chainId: bigint | undefined, number: number): Promise<ForkCache | undefined> {
    const found = this.#stored()
      .filter((cache) => cache.number === number && (chainId === undefined || cache.chainId === chainId))
      .sort((a, b) => b.usedAt - a.usedAt)
    return found[0] === undefined ? undefined : openAt(found[0].path, this.#options.maxBytes)
  }

  #removeUnused(place: string): void {
    const stored = this.#stored()
    const others = stored.filter(({ path }) => path !== place).sort((a, b) => b.usedAt - a.usedAt)
    let bytes = stored.find(({ path }) => path === place)?.bytes ?? 0
    for (const other of others) {
      bytes += other.bytes
      if (bytes <= this.#options.maxBytes || OPEN.has(other.path) || isInUse(other.path)) continue
      rmSync(other.path, { recursive: true, force: true })
    }
  }

  #stored(): readonly StoredCache[] {
    const { path } = this.#options
    return namesIn(path)
      .filter((name) => /^\d+$/.test(name))
      .flatMap((chain) =>
        namesIn(join(path, chain)).flatMap((name) => {
          const number = NAME.exec(name)?.[1]
          const file = statSync(join(path, chain, name, 'data.mdb'), { throwIfNoEntry: false })
          if (number === undefined || file === undefined) return []
          const place = join(path, chain, name)
          return [
            { path: place, chainId: BigInt(chain), number: Number(number), usedAt: file.mtimeMs, bytes: file.size },
          ]
        }),
      )
  }
}

async function openAt(path: string, maxBytes: number): Promise<ForkCache> {
  return new ForkCache(await OPEN.use(path, () => new SharedCache({ path, maxBytes, version: FORK_CACHE_VERSION })))
}
