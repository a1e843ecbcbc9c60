import { criteriaCount, type LogQuery } from '../../chain/receipt/log-query.ts'
import { BoundedCache } from '../../primitives/bounded-cache.ts'
import type { Hash } from '../../primitives/hex.ts'

/** Blocks of a stretch; it begins at a multiple of it. */
export const CHUNK_BLOCKS = 64

/** Logs below which a stretch is found by the index about as fast. */
const FEWEST_LOGS = 32
/** Addresses and topics that a query may name: whoever names thousands seldom asks twice. */
const MAX_CRITERIA = 16
/** What the stretches of some criteria, and one of them, take in memory besides the texts. */
const CRITERIA_BYTES = 2_000
const CHUNK_BYTES = 200

/** All logs of some criteria in one stretch of sealed blocks. */
export interface LogChunk {
  readonly first: number
  /** Of its last block, which says what all of them are. */
  readonly lastHash: Hash
  /** Log objects with commas between them. */
  readonly text: string
  readonly count: number
  /** As the limit of an answer counts them. */
  readonly bytes: number
}

/** Stretches with the same criteria, by their first block. */
interface SameCriteria {
  readonly chunks: Map<number, LogChunk>
  bytes: number
}

/**
 * Logs as they were answered, stretch by stretch: whoever follows a contract asks for the same blocks again and again, and
 * some more. Only stretches of many logs are kept, so that a query for few is as fast over any number of blocks.
 */
export class MemoizedLogChunks {
  readonly #maxBytes: number
  readonly #kept: BoundedCache<string, SameCriteria>

  constructor({ maxBytes }: { readonly maxBytes: number }) {
    this.#maxBytes = maxBytes
    this.#kept = new BoundedCache({ maxBytes })
  }

  /** Those of one query's criteria. */
  of(query: LogQuery): QueryChunks {
    if (criteriaCount(query) > MAX_CRITERIA) return NONE
    const key = JSON.stringify([query.addresses, query.topics])
    const known = this.#kept.get(key) ?? { chunks: new Map(), bytes: CRITERIA_BYTES }
    return {
      at: (block) => known.chunks.get(block),
      next(block, last) {
        if (known.chunks.size === 0) return undefined
        for (let first = block - (block % CHUNK_BLOCKS) + CHUNK_BLOCKS; first <= last; first += CHUNK_BLOCKS) {
          if (known.chunks.has(first)) return first
        }
        return undefined
      },
      keep: (chunk) => {
        if (chunk.count < FEWEST_LOGS) return
        const before = known.chunks.get(chunk.first)
        const bytes = known.bytes + sizeOf(chunk) - (before === undefined ? 0 : sizeOf(before))
        // No more than the bound of one query's criteria either.
        if (bytes > this.#maxBytes) return
        known.chunks.set(chunk.first, chunk)
        known.bytes = bytes
        this.#kept.set(key, known, bytes)
      },
    }
  }
}

export interface QueryChunks {
  /** The one that begins with a block. */
  at(block: number): LogChunk | undefined
  /** Where the next one begins, above `block` and up to `last`. */
  next(block: number, last: number): number | undefined
  keep(chunk: LogChunk): void
}

const NONE: QueryChunks = { at: () => undefined, next: () => undefined, keep: () => undefined }

function sizeOf({ text }: LogChunk): number {
  return CHUNK_BYTES + text.length
}
