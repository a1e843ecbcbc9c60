import { type LogQuery, matchesLog } from '../../chain/log-query.ts'
import type { Bytes } from '../../primitives/hex.ts'
import type { KeyValueReader } from '../../storage/key-value.ts'
import type { TableName } from '../../storage/tables.ts'
import { blockKey, groupIn, heightIn } from './keys.ts'
import { criteriaOf, decodePosting } from './log-postings.ts'
import { LOGS_PER_GROUP, LogReader, logsInEntry, type StoredLog } from './log-values.ts'
import { PostingCursor } from './posting-cursor.ts'

/** A log and where it is. */
export interface LocatedLog extends StoredLog {
  readonly blockNumber: number
  readonly logIndex: number
}

/** Reads between two calls of a search's `checkpoint`. */
const READS_PER_CHECKPOINT = 256

/**
 * Matching logs of blocks `from` to `to`, both included, in chain order. The work follows the rarest criterion, however
 * long the range is; without any criterion, the number of logs in it.
 *
 * @param checkpoint called every few hundred reads; what it throws ends the search
 */
export function* searchLogs(
  reader: KeyValueReader<TableName>,
  query: LogQuery,
  range: { readonly from: number; readonly to: number },
  checkpoint: () => void,
): Generator<LocatedLog, void, undefined> {
  const criteria = criteriaOf(query)
  const step = everyFewHundred(checkpoint)
  // The index does not know how many topics a log has, which empty positions ask for.
  for (const located of criteria.length === 0 ? allLogs(reader, range, step) : indexed(reader, criteria, range, step)) {
    if (matchesLog(query, located.log)) yield located
  }
}

interface BlockRange {
  readonly from: number
  readonly to: number
}

function everyFewHundred(checkpoint: () => void): () => void {
  let steps = 0
  return () => {
    steps += 1
    if (steps % READS_PER_CHECKPOINT === 0) checkpoint()
  }
}

function* allLogs(
  reader: KeyValueReader<TableName>,
  { from, to }: BlockRange,
  step: () => void,
): Generator<LocatedLog, void, undefined> {
  for (const entry of reader.range('logs', { from: blockKey(from), to: blockKey(to + 1) })) {
    step()
    const blockNumber = heightIn(entry.key)
    const group = groupIn(entry.key)
    for (const [index, stored] of logsInEntry(entry).entries()) {
      yield { ...stored, blockNumber, logIndex: group * LOGS_PER_GROUP + index }
    }
  }
}

/**
 * Every criterion in turn jumps to its first block at or after the furthest one that any has reached; where all of them
 * stand on the same block, the logs that all name are candidates.
 */
function* indexed(
  reader: KeyValueReader<TableName>,
  criteria: readonly (readonly Bytes[])[],
  { from, to }: BlockRange,
  step: () => void,
): Generator<LocatedLog, void, undefined> {
  const cursors = criteria.map((terms) => new CriterionCursor(reader, terms, step))
  const logs = new LogReader(reader)
  try {
    let blockNumber = from
    for (;;) {
      const reached = furthest(cursors, blockNumber)
      if (reached === undefined || reached > to) return
      if (reached === blockNumber) {
        for (const logIndex of commonOf(cursors.map((cursor) => cursor.logIndexes()))) {
          step()
          yield { ...logs.log(blockNumber, logIndex), blockNumber, logIndex }
        }
        blockNumber += 1
      } else blockNumber = reached
    }
  } finally {
    // Whoever searches may stop early.
    for (const cursor of cursors) cursor.close()
  }
}

/** `blockNumber` when all cursors have it, else a later block below which none can match; `undefined`: nothing is left. */
function furthest(cursors: readonly CriterionCursor[], blockNumber: number): number | undefined {
  for (const cursor of cursors) {
    const reached = cursor.advance(blockNumber)
    if (reached === undefined || reached > blockNumber) return reached
  }
  return blockNumber
}

/** The blocks of one criterion: of any of its terms. */
class CriterionCursor {
  readonly #step: () => void
  /** Of the terms that have blocks left. */
  #terms: { readonly cursor: PostingCursor; blockNumber: number }[]
  #blockNumber = -1

  constructor(reader: KeyValueReader<TableName>, terms: readonly Bytes[], step: () => void) {
    this.#step = step
    this.#terms = terms.map((term) => ({ cursor: new PostingCursor(term, { reader }), blockNumber: -1 }))
  }

  /** The first block at or after this one; never goes back. */
  advance(blockNumber: number): number | undefined {
    if (this.#blockNumber >= blockNumber) return this.#blockNumber
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
    this.#blockNumber = first
    return first === Number.POSITIVE_INFINITY ? undefined : first
  }

  close(): void {
    for (const { cursor } of this.#terms) cursor.close()
  }

  /** Positions in the block it stands on, growing. */
  logIndexes(): readonly number[] {
    const here = this.#terms.filter((state) => state.blockNumber === this.#blockNumber)
    if (here.length === 1) return decodePosting(here[0]!.cursor.posting)
    return [...new Set(here.flatMap(({ cursor }) => decodePosting(cursor.posting)))].sort((a, b) => a - b)
  }
}

function commonOf(lists: readonly (readonly number[])[]): readonly number[] {
  const [shortest = [], ...others] = [...lists].sort((a, b) => a.length - b.length)
  const sets = others.map((list) => new Set(list))
  return shortest.filter((logIndex) => sets.every((set) => set.has(logIndex)))
}
