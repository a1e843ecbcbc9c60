import { criteriaCount, type LogQuery } from '../../chain/receipt/log-query.ts'
import { BoundedCache } from '../../primitives/bounded-cache.ts'
import type { Hash } from '../../primitives/hex.ts'

/** Blocks per chunk; a chunk starts at a multiple of it. */
export const CHUNK_BLOCKS = 64

/** Chunks with fewer logs are found by the index about as fast. */
const FEWEST_LOGS = 32
/** Queries with more addresses and topics are not cached: they are rarely repeated. */
const MAX_CRITERIA = 16
/** Memory of the chunks of one query, and of one chunk, without the texts. */
const CRITERIA_BYTES = 2_000
const CHUNK_BYTES = 200

/** All logs of a query in one chunk of sealed blocks. */
export interface LogChunk {
  readonly first: number
  /** Hash of the last block, which identifies all blocks of the chunk. */
  readonly lastHash: Hash
  /** Log objects separated by commas. */
  readonly text: string
  readonly count: number
  /** Size for the limit of a response. */
  readonly bytes: number
}

/** Chunks of one query, by their first block. */
interface SameCriteria {
  readonly chunks: Map<number, LogChunk>
  bytes: number
}

/**
 * Caches the JSON of logs chunk by chunk: clients that follow a contract query the same blocks again, and a few more.
 * Only chunks with many logs are cached, so that queries for rare logs stay fast over any number of blocks.
 */
export class MemoizedLogChunks {
  readonly #maxBytes: number
  readonly #cache: BoundedCache<string, SameCriteria>

  constructor({ maxBytes }: { readonly maxBytes: number }) {
    this.#maxBytes = maxBytes
    this.#cache = new BoundedCache({ maxBytes })
  }

  /** The chunks of one query. */
  of(query: LogQuery): QueryChunks {
    if (criteriaCount(query) > MAX_CRITERIA) return NONE
    const key = JSON.stringify([query.addresses, query.topics])
    const existing = this.#cache.get(key) ?? { chunks: new Map(), bytes: CRITERIA_BYTES }
    return {
      at: (block) => existing.chunks.get(block),
      next(block, last) {
        if (existing.chunks.size === 0) return undefined
        for (let first = block - (block % CHUNK_BLOCKS) + CHUNK_BLOCKS; first <= last; first += CHUNK_BLOCKS) {
          if (existing.chunks.has(first)) return first
        }
        return undefined
      },
      keep: (chunk) => {
        if (chunk.count < FEWEST_LOGS) return
        const before = existing.chunks.get(chunk.first)
        const bytes = existing.bytes + sizeOf(chunk) - (before === undefined ? 0 : sizeOf(before))
        // One query must not exceed the bound on its own.
        if (bytes > this.#maxBytes) return
        existing.chunks.set(chunk.first, chunk)
        existing.bytes = bytes
        this.#cache.set(key, existing, bytes)
      },
    }
  }
}

export interface QueryChunks {
  /** The chunk that starts at a block. */
  at(block: number): LogChunk | undefined
  /** Where the next chunk starts, above `block` and up to `last`. */
  next(block: number, last: number): number | undefined
  keep(chunk: LogChunk): void
}

const NONE: QueryChunks = { at: () => undefined, next: () => undefined, keep: () => undefined }

function sizeOf({ text }: LogChunk): number {
  return CHUNK_BYTES + text.length
}
