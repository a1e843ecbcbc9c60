import type { Hash } from '../../primitives/hex.ts'
import { STRETCH, type StretchesOfQuery } from './memoized-chunks.ts'

interface Options {
  /** Blocks that are searched: what is partly within is not kept. */
  readonly from: number
  /** The last of them that is sealed. */
  readonly to: number
}

interface Parts {
  readonly stretches: StretchesOfQuery
  readonly blockHash: (number: number) => Hash | undefined
}

/** Keeps what a search finds, stretch by stretch. */
export class StretchRecorder {
  readonly #options: Options
  readonly #parts: Parts
  #first: number
  #texts: string[] = []
  #bytes = 0

  constructor(options: Options, parts: Parts) {
    this.#options = options
    this.#parts = parts
    this.#first = firstOf(options.from)
  }

  /** Takes a log that was found, in the order of the chain. */
  add(block: number, text: string, bytes: number): void {
    if (block >= this.#first + STRETCH) this.searchedUpTo(block)
    this.#texts.push(text)
    this.#bytes += bytes
  }

  /** All blocks below this one were searched. */
  searchedUpTo(block: number): void {
    if (block < this.#first + STRETCH) return
    this.#keep()
    this.#first = firstOf(block)
    this.#texts = []
    this.#bytes = 0
  }

  #keep(): void {
    const { from, to } = this.#options
    const last = this.#first + STRETCH - 1
    if (this.#texts.length === 0 || this.#first < from || last > to) return
    const { stretches, blockHash } = this.#parts
    const lastHash = blockHash(last)
    if (lastHash === undefined) return
    const text = this.#texts.join(',')
    stretches.keep({ first: this.#first, lastHash, text, count: this.#texts.length, bytes: this.#bytes })
  }
}

function firstOf(block: number): number {
  return block - (block % STRETCH)
}
