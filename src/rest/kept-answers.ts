import type { Hash } from '../primitives/hex.ts'
import type { Representation } from './representation.ts'
import type { RestRequest } from './rest-service.ts'
import type { Query } from './target.ts'
import type { ChainSource } from './tokenized-stocks/chain-source.ts'
import type { Registry } from './tokenized-stocks/registry.ts'

interface Options {
  readonly maxAnswers: number
}

interface Parts {
  readonly source: Pick<ChainSource, 'latestHash'>
  readonly registry: () => Registry
}

/** Answers that were read at the newest block with the present registry, by what was asked for: one look, and they are there. */
export class KeptAnswers {
  readonly #options: Options
  readonly #parts: Parts
  readonly #answers = new Map<string, Representation>()
  #hash: Hash | undefined
  #registry: Registry | undefined

  constructor(options: Options, parts: Parts) {
    this.#options = options
    this.#parts = parts
  }

  get({ method, target }: RestRequest): Representation | undefined {
    if (method !== 'GET' && method !== 'HEAD') return undefined
    return this.#isCurrent() ? this.#answers.get(target) : undefined
  }

  /** @param representation whose tag is the hash of the block that it was read at, or begins with that and the registry's digest */
  keep(target: string, query: Query, representation: Representation): void {
    if ((query.get('block') ?? 'latest') !== 'latest' || !this.#isCurrent()) return
    // The block may have got a successor, and the registry too, while it was read.
    const { tag } = representation
    const isOfNow = tag === this.#hash || tag.startsWith(`${this.#hash}-${this.#registry!.digest}-`)
    if (isOfNow && this.#answers.size < this.#options.maxAnswers) this.#answers.set(target, representation)
  }

  /** Whether the newest block is known; what was kept of another one, or of another registry, is forgotten. */
  #isCurrent(): boolean {
    const hash = this.#parts.source.latestHash()
    const registry = this.#parts.registry()
    if (hash !== this.#hash || registry !== this.#registry) {
      this.#hash = hash
      this.#registry = registry
      this.#answers.clear()
    }
    return hash !== undefined
  }
}
