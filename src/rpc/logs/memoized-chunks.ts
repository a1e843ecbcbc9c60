import { criteriaCount, type LogQuery } from '../../chain/receipt/log-query.ts'
import { BoundedCache } from '../../primitives/bounded-cache.ts'
import type { Hash } from '../../primitives/hex.ts'

/** Blocks of a stretch; it begins at a multiple of it. */
export const STRETCH = 64

/** Logs below which a stretch is found by the index about as fast. */
const FEWEST_LOGS = 32
/** Addresses and topics that a query may name: whoever names thousands seldom asks twice. */
const MAX_CRITERIA = 16
/** What the stretches of some criteria, and one of them, take in memory besides the texts. */
const CRITERIA_BYTES = 2_000
const STRETCH_BYTES = 200

/** All logs of some criteria in one stretch of sealed blocks. */
export interface ReadyStretch {
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
  readonly stretches: Map<number, ReadyStretch>
  bytes: number
}

/**
 * Logs as they were answered, stretch by stretch: whoever follows a contract asks for the same blocks again and again, and
 * some more. Only stretches of many logs are kept, so that a query for few is as fast over any number of blocks.
 */
export class ReadyStretches {
  readonly #maxBytes: number
  readonly #kept: BoundedCache<string, SameCriteria>

  constructor({ maxBytes }: { readonly maxBytes: number }) {
    this.#maxBytes = maxBytes
    this.#kept = new BoundedCache({ maxBytes })
  }

  /** Those of one query's criteria. */
  of(query: LogQuery): StretchesOfQuery {
    if (criteriaCount(query) > MAX_CRITERIA) return NONE
    const key = JSON.stringify([query.addresses, query.topics])
    const known = this.#kept.get(key) ?? { stretches: new Map(), bytes: CRITERIA_BYTES }
    return {
      at: (block) => known.stretches.get(block),
      next(block, last) {
        if (known.stretches.size === 0) return undefined
        for (let first = block - (block % STRETCH) + STRETCH; first <= last; first += STRETCH) {
          if (known.stretches.has(first)) return first
        }
        return undefined
      },
      keep: (stretch) => {
        if (stretch.count < FEWEST_LOGS) return
        const before = known.stretches.get(stretch.first)
        const bytes = known.bytes + sizeOf(stretch) - (before === undefined ? 0 : sizeOf(before))
        // No more than the bound of one query's criteria either.
        if (bytes > this.#maxBytes) return
        known.stretches.set(stretch.first, stretch)
        known.bytes = bytes
        this.#kept.set(key, known, bytes)
      },
    }
  }
}

export interface StretchesOfQuery {
  /** The one that begins with a block. */
  at(block: number): ReadyStretch | undefined
  /** Where the next one begins, above `block` and up to `last`. */
  next(block: number, last: number): number | undefined
  keep(stretch: ReadyStretch): void
}

const NONE: StretchesOfQuery = { at: () => undefined, next: () => undefined, keep: () => undefined }

function sizeOf({ text }: ReadyStretch): number {
  return STRETCH_BYTES + text.length
}
