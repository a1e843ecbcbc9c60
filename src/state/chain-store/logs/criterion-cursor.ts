import type { Bytes } from '../../../primitives/hex.ts'
import type { KeyValueReader } from '../../../storage/key-value.ts'
import type { TableName } from '../encoding/tables.ts'
import { decodePosting } from './log-postings.ts'
import { PostingCursor } from './posting-cursor.ts'

interface Deps {
  readonly reader: KeyValueReader<TableName>
  /** Called for every read. */
  readonly step: () => void
}

/** Iterates over the blocks that match a criterion: any of its terms. */
export class CriterionCursor {
  readonly #step: () => void
  /** Terms with blocks left. */
  #terms: { readonly cursor: PostingCursor; blockNumber: number }[]
  #blockNumber = -1

  constructor(terms: readonly Bytes[], { reader, step }: Deps) {
    this.#step = step
    this.#terms = terms.map((term) => ({ cursor: new PostingCursor(term, { reader }), blockNumber: -1 }))
  }

  /** The current block; infinity at the end. */
  get blockNumber(): number {
    return this.#blockNumber
  }

  /** Size of its index entries for this block, a measure of its number of logs. */
  get indexBytes(): number {
    let bytes = 0
    for (const { cursor, blockNumber } of this.#terms) {
      if (blockNumber === this.#blockNumber) bytes += cursor.posting.length
    }
    return bytes
  }

  /** The first block at or after this one; `undefined` if there is none. Never goes back. */
  advance(blockNumber: number): number | undefined {
    if (this.#blockNumber < blockNumber) this.#blockNumber = this.#furthered(blockNumber)
    return this.#blockNumber === Number.POSITIVE_INFINITY ? undefined : this.#blockNumber
  }

  close(): void {
    for (const { cursor } of this.#terms) cursor.close()
  }

  /** Ascending log indexes in the current block. */
  logIndexes(): readonly number[] {
    const [only, ...others] = this.#terms
    if (only !== undefined && others.length === 0) return decodePosting(only.cursor.posting)
    const here = this.#terms.filter((state) => state.blockNumber === this.#blockNumber)
    if (here.length === 1) return decodePosting(here[0]!.cursor.posting)
    return [...new Set(here.flatMap(({ cursor }) => decodePosting(cursor.posting)))].sort((a, b) => a - b)
  }

  #furthered(blockNumber: number): number {
    let exhausted = 0
    let first = Number.POSITIVE_INFINITY
    for (const state of this.#terms) {
      if (state.blockNumber < blockNumber) {
        this.#step()
        state.blockNumber = state.cursor.advance(blockNumber)
        if (state.blockNumber === Number.POSITIVE_INFINITY) exhausted += 1
      }
      if (state.blockNumber < first) first = state.blockNumber
    }
    if (exhausted > 0) this.#terms = this.#terms.filter((state) => state.blockNumber < Number.POSITIVE_INFINITY)
    return first
  }
}
