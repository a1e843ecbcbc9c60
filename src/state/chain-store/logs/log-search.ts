import type { Log } from '../../../chain/receipt/log.ts'
import { type LogMatch, type LogQuery, logMatcher } from '../../../chain/receipt/log-query.ts'
import type { KeyValueReader } from '../../../storage/key-value.ts'
import { blockKey, groupIn, heightIn } from '../encoding/keys.ts'
import { LOGS_PER_GROUP, readLogGroup } from '../encoding/log-values.ts'
import type { TableName } from '../encoding/tables.ts'
import type { BlockMetadataReader } from './block-metadata.ts'
import { CriterionCursor } from './criterion-cursor.ts'
import { criteriaOf } from './log-postings.ts'
import { type DecodedLogCache, LogReader, matchAt } from './log-reader.ts'

/** Reads between two checkpoints of a search. */
const READS_PER_CHECKPOINT = 128
/** Up to this many logs are checked directly: consulting the index of the other criteria would cost as much. */
const DIRECT_CHECKS = 8
/** Consecutive blocks without a match after which the rarest criterion is determined again. */
const MISSES_BEFORE_RERANKING = 4

interface BlockRange {
  readonly from: number
  readonly to: number
}

export interface LogSearchDeps {
  readonly reader: KeyValueReader<TableName>
  readonly blocks: BlockMetadataReader
  readonly decoded: DecodedLogCache
  /** Called about every hundred reads; an exception ends the search. */
  readonly checkpoint: () => void
}

interface Search extends LogSearchDeps {
  readonly matches: (log: Log) => boolean
  readonly range: BlockRange
  readonly step: () => void
}

/**
 * Matching logs of blocks `from` to `to`, inclusive, in chain order. The cost follows the rarest criterion, whatever
 * the length of the range; without criteria, the number of logs in it.
 */
export function searchLogIndex(query: LogQuery, range: BlockRange, deps: LogSearchDeps): Iterable<LogMatch> {
  const search = { ...deps, matches: logMatcher(query), range, step: everyFew(deps.checkpoint) }
  const criteria = criteriaOf(query)
  if (criteria.length === 0) return allLogs(search)
  const { reader } = deps
  return indexed(
    search,
    criteria.map((terms) => new CriterionCursor(terms, { reader, step: search.step })),
  )
}

function everyFew(checkpoint: () => void): () => void {
  let steps = 0
  return () => {
    steps += 1
    if (steps % READS_PER_CHECKPOINT === 0) checkpoint()
  }
}

function* allLogs({ reader, blocks, matches, range, step }: Search): Generator<LogMatch, void, undefined> {
  for (const entry of reader.range('logs', { from: blockKey(range.from), to: blockKey(range.to + 1) })) {
    step()
    const block = blocks.of(heightIn(entry.key))
    const first = groupIn(entry.key) * LOGS_PER_GROUP
    for (const [index, stored] of readLogGroup(entry).entries()) {
      if (matches(stored.log)) yield matchAt(block, stored, first + index)
    }
  }
}

/**
 * The rarest criterion alone provides candidates while they match. After several blocks without a match, every
 * criterion seeks its first block at or after the furthest one reached; the one that got furthest is the rarest here.
 */
function* indexed(search: Search, cursors: readonly CriterionCursor[]): Generator<LogMatch, void, undefined> {
  const { matches, range, step } = search
  const logs = new LogReader(search)
  try {
    let rarest = rarestFrom(cursors, range.from)
    while (rarest !== undefined) {
      let inVain = 0
      let block: number | undefined = rarest.blockNumber
      while (inVain < MISSES_BEFORE_RERANKING) {
        if (block === undefined || block > range.to) return
        inVain += 1
        for (const logIndex of candidates(rarest, cursors)) {
          step()
          const found = logs.log(block, logIndex)
          // The index does not store the number of topics, which an empty position depends on.
          if (!matches(found.log)) continue
          inVain = 0
          yield found
        }
        block = rarest.advance(block + 1)
      }
      rarest = block === undefined ? undefined : rarestFrom(cursors, block)
    }
  } finally {
    // The consumer may stop early.
    for (const cursor of cursors) cursor.close()
  }
}

/**
 * The criterion without a block before the furthest one reached, and with the fewest logs there.
 *
 * @returns undefined when a criterion has no block left: nothing else can match
 */
function rarestFrom(cursors: readonly CriterionCursor[], from: number): CriterionCursor | undefined {
  let rarest: CriterionCursor | undefined
  for (const cursor of cursors) {
    const furthest: number = rarest?.blockNumber ?? from
    const reached = cursor.advance(furthest)
    if (reached === undefined) return undefined
    if (rarest === undefined || reached > furthest || cursor.indexBytes < rarest.indexBytes) rarest = cursor
  }
  return rarest
}

/** Log indexes in the block of `rarest`: its own, or if they are many the intersection with the other criteria. */
function candidates(rarest: CriterionCursor, cursors: readonly CriterionCursor[]): readonly number[] {
  let common = rarest.logIndexes()
  const { blockNumber } = rarest
  for (const cursor of cursors) {
    if (common.length <= DIRECT_CHECKS) break
    if (cursor === rarest) continue
    common = cursor.advance(blockNumber) === blockNumber ? intersection(common, cursor.logIndexes()) : []
  }
  return common
}

/** Intersection of two ascending lists. */
function intersection(a: readonly number[], b: readonly number[]): readonly number[] {
  const common: number[] = []
  let other = 0
  for (const value of a) {
    while (other < b.length && b[other]! < value) other += 1
    if (b[other] === value) common.push(value)
  }
  return common
}
