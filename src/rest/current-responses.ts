import type { Hash } from '../primitives/hex.ts'
import type { Representation } from './http/representation.ts'
import type { RestRequest } from './http/rest-service.ts'
import type { Query } from './http/target.ts'
import type { ChainSource } from './tokenized-stocks/chain-source.ts'
import type { Registry } from './tokenized-stocks/registry.ts'

interface Options {
  /** Cached responses per block. */
  readonly maxResponses: number
}

interface Deps {
  readonly source: Pick<ChainSource, 'latestHash' | 'pendingHash'>
  readonly registry: () => Registry
}

/**
 * Caches responses read at the current latest block and at the current pending block with the current registry, by
 * request target. A new block or registry invalidates them.
 */
export class CurrentResponses {
  readonly #latest: ResponsesAtBlock
  readonly #pending: ResponsesAtBlock

  constructor(options: Options, { source, registry }: Deps) {
    this.#latest = new ResponsesAtBlock(options, { registry, hash: () => source.latestHash() })
    this.#pending = new ResponsesAtBlock(options, { registry, hash: () => source.pendingHash?.() })
  }

  get({ method, target }: RestRequest): Representation | undefined {
    if (method !== 'GET' && method !== 'HEAD') return undefined
    return this.#latest.get(target) ?? this.#pending.get(target)
  }

  /** @param representation its tag is the hash of its block, or begins with `HASH-REGISTRYDIGEST-` */
  set(target: string, query: Query, representation: Representation): void {
    const block = query.get('block')?.[0] ?? 'latest'
    if (block === 'latest') this.#latest.set(target, representation)
    else if (block === 'pending') this.#pending.set(target, representation)
  }
}

interface BlockDeps {
  /** Hash of the tag's current block; `undefined` if reading it would need a request. */
  readonly hash: () => Hash | undefined
  readonly registry: () => Registry
}

/** Responses at the current block of a tag. */
class ResponsesAtBlock {
  readonly #options: Options
  readonly #deps: BlockDeps
  readonly #responses = new Map<string, Representation>()
  #hash: Hash | undefined
  #registry: Registry | undefined

  constructor(options: Options, deps: BlockDeps) {
    this.#options = options
    this.#deps = deps
  }

  get(target: string): Representation | undefined {
    return this.#isCurrent() ? this.#responses.get(target) : undefined
  }

  set(target: string, representation: Representation): void {
    if (!this.#isCurrent()) return
    // Block and registry may have changed while the response was read.
    const { tag } = representation
    const isCurrent = tag === this.#hash || tag.startsWith(`${this.#hash}-${this.#registry!.digest}-`)
    if (isCurrent && this.#responses.size < this.#options.maxResponses) this.#responses.set(target, representation)
  }

  /** Clears the cache when block or registry changed; returns whether the block is known. */
  #isCurrent(): boolean {
    const hash = this.#deps.hash()
    const registry = this.#deps.registry()
    if (hash !== this.#hash || registry !== this.#registry) {
      this.#hash = hash
      this.#registry = registry
      this.#responses.clear()
    }
    return hash !== undefined
  }
}
