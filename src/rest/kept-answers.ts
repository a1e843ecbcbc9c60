import type { Hash } from '../primitives/hex.ts'
import type { Representation } from './representation.ts'
import type { RestRequest } from './rest-service.ts'
import type { Query } from './target.ts'
import type { ChainSource } from './tokenized-stocks/chain-source.ts'
import type { Registry } from './tokenized-stocks/registry.ts'

interface Options {
  /** Of each block. */
  readonly maxAnswers: number
}

interface Parts {
  readonly source: Pick<ChainSource, 'latestHash' | 'pendingHash'>
  readonly registry: () => Registry
}

/**
 * Answers that were read at the newest block or at the open one, with the present registry, by what was asked for: one look,
 * and they are there.
 */
export class KeptAnswers {
  readonly #latest: AnswersAtBlock
  readonly #pending: AnswersAtBlock

  constructor(options: Options, { source, registry }: Parts) {
    this.#latest = new AnswersAtBlock(options, { registry, hash: () => source.latestHash() })
    this.#pending = new AnswersAtBlock(options, { registry, hash: () => source.pendingHash?.() })
  }

  get({ method, target }: RestRequest): Representation | undefined {
    if (method !== 'GET' && method !== 'HEAD') return undefined
    return this.#latest.get(target) ?? this.#pending.get(target)
  }

  /** @param representation whose tag is the hash of the block that it was read at, or begins with that and the registry's digest */
  keep(target: string, query: Query, representation: Representation): void {
    const block = query.get('block') ?? 'latest'
    if (block === 'latest') this.#latest.keep(target, representation)
    else if (block === 'pending') this.#pending.keep(target, representation)
  }
}

interface BlockParts {
  /** Of the block now; `undefined`: it is not known. */
  readonly hash: () => Hash | undefined
  readonly registry: () => Registry
}

/** Answers at whichever block a tag names now: they go with it. */
class AnswersAtBlock {
  readonly #options: Options
  readonly #parts: BlockParts
  readonly #answers = new Map<string, Representation>()
  #hash: Hash | undefined
  #registry: Registry | undefined

  constructor(options: Options, parts: BlockParts) {
    this.#options = options
    this.#parts = parts
  }

  get(target: string): Representation | undefined {
    return this.#isCurrent() ? this.#answers.get(target) : undefined
  }

  keep(target: string, representation: Representation): void {
    if (!this.#isCurrent()) return
    // The block may have got a successor, and the registry too, while it was read.
    const { tag } = representation
    const isOfNow = tag === this.#hash || tag.startsWith(`${this.#hash}-${this.#registry!.digest}-`)
    if (isOfNow && this.#answers.size < this.#options.maxAnswers) this.#answers.set(target, representation)
  }

  /** Whether the block is known; what was kept of another one, or of another registry, is forgotten. */
  #isCurrent(): boolean {
    const hash = this.#parts.hash()
    const registry = this.#parts.registry()
    if (hash !== this.#hash || registry !== this.#registry) {
      this.#hash = hash
      this.#registry = registry
      this.#answers.clear()
    }
    return hash !== undefined
  }
}
