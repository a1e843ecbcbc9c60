import type { Hash } from '../primitives/hex.ts'
import type { Representation } from './representation.ts'
import type { RestRequest } from './rest-service.ts'
import type { Query } from './target.ts'
import type { ChainSource } from './tokenized-stocks/chain-source.ts'

interface Options {
  readonly maxAnswers: number
}

interface Parts {
  readonly source: Pick<ChainSource, 'latestHash'>
}

/** Answers that were read at the newest block, by what was asked for: one look, and they are there. */
export class KeptAnswers {
  readonly #options: Options
  readonly #source: Parts['source']
  readonly #answers = new Map<string, Representation>()
  #hash: Hash | undefined

  constructor(options: Options, parts: Parts) {
    this.#options = options
    this.#source = parts.source
  }

  get({ method, target }: RestRequest): Representation | undefined {
    if (method !== 'GET' && method !== 'HEAD') return undefined
    return this.#isCurrent() ? this.#answers.get(target) : undefined
  }

  /** @param representation whose tag is the hash of the block that it was read at */
  keep(target: string, query: Query, representation: Representation): void {
    if ((query.get('block') ?? 'latest') !== 'latest' || !this.#isCurrent()) return
    // The block may have got a successor while it was read.
    if (representation.tag === this.#hash && this.#answers.size < this.#options.maxAnswers) {
      this.#answers.set(target, representation)
    }
  }

  /** Whether the newest block is known; what was kept of another one is forgotten. */
  #isCurrent(): boolean {
    const hash = this.#source.latestHash()
    if (hash !== this.#hash) {
      this.#hash = hash
      this.#answers.clear()
    }
    return hash !== undefined
  }
}
