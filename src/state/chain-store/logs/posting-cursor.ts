import type { Bytes } from '../../../primitives/hex.ts'
import type { Entry, KeyValueReader } from '../../../storage/key-value.ts'
import { heightIn, postingKey, startsWith, withPrefix } from '../encoding/keys.ts'
import type { TableName } from '../encoding/tables.ts'

/** Entries to step over before seeking, which takes ten times as long as a step. */
const STEPS = 1

/**
 * Iterates over the blocks of one term, in order. Holds a cursor of the store until it is closed or reaches the end.
 */
export class PostingCursor {
  readonly #reader: KeyValueReader<TableName>
  readonly #term: Bytes
  #entries: Iterator<Entry> | undefined
  #posting: Bytes = new Uint8Array(0)

  constructor(term: Bytes, deps: { readonly reader: KeyValueReader<TableName> }) {
    this.#term = term
    this.#reader = deps.reader
  }

  /** The index entry of the current block. */
  get posting(): Bytes {
    return this.#posting
  }

  /** The first block at or after this one that has the term; infinity if there is none. Never goes back. */
  advance(blockNumber: number): number {
    for (let step = 0; this.#entries !== undefined && step < STEPS; step++) {
      const reached = this.#next()
      if (reached >= blockNumber) return reached
    }
    this.close()
    const { to } = withPrefix(this.#term)
    const from = postingKey(this.#term, blockNumber)
    this.#entries = this.#reader.range('logPostings', { from, ...(to && { to }) })[Symbol.iterator]()
    return this.#next()
  }

  close(): void {
    this.#entries?.return?.()
    this.#entries = undefined
  }

  #next(): number {
    const next = this.#entries!.next()
    if (next.done !== true && startsWith(next.value.key, this.#term)) {
      this.#posting = next.value.value
      return heightIn(next.value.key, this.#term.length)
    }
    this.close()
    return Number.POSITIVE_INFINITY
  }
}
