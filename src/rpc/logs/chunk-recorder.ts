import type { Hash } from '../../primitives/hex.ts'
import { CHUNK_BLOCKS, type QueryChunks } from './memoized-chunks.ts'

interface Options {
  /** First block of the search. Chunks that are only partly searched are not cached. */
  readonly from: number
  /** Last sealed block of the search. */
  readonly to: number
}

interface Deps {
  readonly chunks: QueryChunks
  readonly blockHash: (number: number) => Hash | undefined
}

/** Collects the logs that a search finds, and caches each complete chunk. */
export class ChunkRecorder {
  readonly #options: Options
  readonly #deps: Deps
  #first: number
  #texts: string[] = []
  #bytes = 0

  constructor(options: Options, deps: Deps) {
    this.#options = options
    this.#deps = deps
    this.#first = firstOf(options.from)
  }

  /** Adds a found log, in the order of the chain. */
  add(block: number, text: string, bytes: number): void {
    if (block >= this.#first + CHUNK_BLOCKS) this.searchedUpTo(block)
    this.#texts.push(text)
    this.#bytes += bytes
  }

  /** All blocks below this one have been searched. */
  searchedUpTo(block: number): void {
    if (block < this.#first + CHUNK_BLOCKS) return
    this.#keep()
    this.#first = firstOf(block)
    this.#texts = []
    this.#bytes = 0
  }

  #keep(): void {
    const { from, to } = this.#options
    const last = this.#first + CHUNK_BLOCKS - 1
    if (this.#texts.length === 0 || this.#first < from || last > to) return
    const { chunks, blockHash } = this.#deps
    const lastHash = blockHash(last)
    if (lastHash === undefined) return
    const text = this.#texts.join(',')
    chunks.keep({ first: this.#first, lastHash, text, count: this.#texts.length, bytes: this.#bytes })
  }
}

function firstOf(block: number): number {
  return block - (block % CHUNK_BLOCKS)
}
