import { type Bytes, bytesToHex } from '../../../primitives/hex.ts'
import type { Entry, KeyValueReader } from '../../../storage/key-value.ts'
import { type ChangedValue, readChanges } from '../encoding/block-changes.ts'
import { hashInHeader } from '../encoding/block-values.ts'
import { CorruptValueError } from '../encoding/checked-value.ts'
import { describeKey } from '../encoding/key-description.ts'
import { HOLDERS_KEY, heightIn, historyHeightIn, startsWith } from '../encoding/keys.ts'
import {
  CHAIN_TIME_KEY,
  FINALITY_KEY,
  FINALIZED_KEY,
  FORKS_KEY,
  NEWEST_RECORD_KEY,
  OLDEST_STATE_KEY,
  POOL_CHECKPOINT_KEY,
  RECORDS_FROM_KEY,
  REPLACEMENTS_KEY,
  SOURCE_KEY,
} from '../encoding/metadata-keys.ts'
import { TABLE_NAMES, type TableName } from '../encoding/tables.ts'
import { holdersFrom } from '../logs/token-holders.ts'
import { headerContent } from '../writes/block-writes.ts'
import { oldestState } from '../writes/pruning.ts'

/** The first different entry. */
export interface TableDifference {
  readonly table: TableName
  /** Describes the entry. */
  readonly where: string
  readonly expected: string
  readonly got: string
}

/** Entries compared before yielding. */
const ENTRIES_PER_SLICE = 2_048
const HEIGHT_BYTES = 8
/** Metadata of the node that has the store, not of its chain. */
const NODE_KEYS = [
  SOURCE_KEY,
  FINALIZED_KEY,
  FINALITY_KEY,
  NEWEST_RECORD_KEY,
  POOL_CHECKPOINT_KEY,
  CHAIN_TIME_KEY,
  FORKS_KEY,
  REPLACEMENTS_KEY,
  RECORDS_FROM_KEY,
]

/**
 * Compares every entry of every table with a store that holds the same chain with its whole history. What `actual` has
 * pruned may be missing; everything else must be equal byte for byte, change sets by content.
 *
 * @param pause called every few thousand entries
 * @returns undefined when there is no difference
 */
export async function tableDifference(
  expected: KeyValueReader<TableName>,
  actual: KeyValueReader<TableName>,
  pause: (table: TableName) => Promise<void>,
): Promise<TableDifference | undefined> {
  const oldest = oldestState(actual)
  const hasAllHolders = indexesAllHolders(actual)
  for (const table of TABLE_NAMES) {
    if (table === 'metadata') continue
    let count = 0
    for (const pair of pairs(kept(expected, table, oldest), actual.range(table))) {
      if (table === 'logPostings' && pair.key[0] === HOLDERS_KEY[0] && !hasAllHolders) continue
      const difference = entryDifference(table, pair, { expected, actual })
      if (difference !== undefined) return difference
      count += 1
      if (count % ENTRIES_PER_SLICE === 0) await pause(table)
    }
  }
  return metadataDifference(expected, actual)
}

/** Whether the index of token holders begins with block 0: that of a directory of an older version does not. */
function indexesAllHolders(reader: KeyValueReader<TableName>): boolean {
  const [newest] = reader.range('headers', { reverse: true, limit: 1 })
  if (newest === undefined) return false
  return holdersFrom(reader, hashInHeader(headerContent(reader, heightIn(newest.key))!)) === 0
}

/** Readable form of a value; `other`: the value it is compared with. */
function valueText(value: Bytes | undefined, other?: Bytes): string {
  if (value === undefined) return 'nothing'
  if (value.length <= 2 * EXCERPT_BYTES) return value.length === 0 ? '0x (no bytes)' : bytesToHex(value)
  const first = value.findIndex((byte, index) => byte !== other?.[index])
  const start = Math.max(0, first === -1 ? value.length - EXCERPT_BYTES : first)
  return `${value.length} bytes, at ${start}: ${bytesToHex(value.subarray(start, start + EXCERPT_BYTES))}`
}

const EXCERPT_BYTES = 32

interface Pair {
  readonly key: Bytes
  readonly expected: Bytes | undefined
  readonly actual: Bytes | undefined
}

/** Merges the entries of both by key. */
function* pairs(expected: Iterable<Entry>, actual: Iterable<Entry>): Iterable<Pair> {
  const left = expected[Symbol.iterator]()
  const right = actual[Symbol.iterator]()
  let wanted = left.next()
  let found = right.next()
  try {
    while (wanted.done !== true || found.done !== true) {
      const order =
        wanted.done === true ? 1 : found.done === true ? -1 : Buffer.compare(wanted.value.key, found.value.key)
      const key = order <= 0 ? wanted.value!.key : found.value!.key
      yield {
        key,
        expected: order <= 0 ? wanted.value!.value : undefined,
        actual: order >= 0 ? found.value!.value : undefined,
      }
      if (order <= 0) wanted = left.next()
      if (order >= 0) found = right.next()
    }
  } finally {
    left.return?.()
    right.return?.()
  }
}

/** The part of a whole history that remains when states before block `oldest` are pruned (pruning.ts). */
function* kept(reader: KeyValueReader<TableName>, table: TableName, oldest: number): Iterable<Entry> {
  const isHistory = table === 'accountHistory' || table === 'storageHistory'
  if (oldest === 0 || (!isHistory && table !== 'changes')) return yield* reader.range(table)
  let item: Bytes | undefined
  for (const entry of reader.range(table)) {
    if (!isHistory) {
      if (heightIn(entry.key) > oldest) yield entry
      continue
    }
    if (historyHeightIn(entry.key) > oldest) {
      yield entry
      continue
    }
    // Newest first: the first one at or below the horizon stays unless it marks an absence.
    const isSuperseded =
      item !== undefined && entry.key.length === item.length + HEIGHT_BYTES && startsWith(entry.key, item)
    item = entry.key.subarray(0, -HEIGHT_BYTES)
    if (!isSuperseded && entry.value.length > 0) yield entry
  }
}

interface Readers {
  readonly expected: KeyValueReader<TableName>
  readonly actual: KeyValueReader<TableName>
}

function entryDifference(table: TableName, pair: Pair, readers: Readers): TableDifference | undefined {
  const { key, expected, actual } = pair
  if (expected !== undefined && actual !== undefined) {
    if (Buffer.compare(expected, actual) === 0) return undefined
    if (table === 'changes' && sameChanges(key, readers)) return undefined
  }
  const where = describeKey(table, key)
  return { table, where, expected: valueText(expected, actual), got: valueText(actual, expected) }
}

/** A block built in several flashblocks lists its changes in another order than one executed at once. */
function sameChanges(key: Bytes, readers: Readers): boolean {
  const number = heightIn(key)
  const expected = readChanges(readers.expected, number)
  let actual: ReturnType<typeof readChanges>
  try {
    actual = readChanges(readers.actual, number)
  } catch (error) {
    if (error instanceof CorruptValueError) return false
    throw error
  }
  return (
    sameValues(expected.accounts, actual.accounts) &&
    sameValues(expected.storage, actual.storage) &&
    sameValues(withoutValues(expected.code), withoutValues(actual.code))
  )
}

function withoutValues(keys: readonly Bytes[]): readonly ChangedValue[] {
  return keys.map((key) => [key, new Uint8Array(0)])
}

function sameValues(a: readonly ChangedValue[], b: readonly ChangedValue[]): boolean {
  if (a.length !== b.length) return false
  const left = inOrder(a)
  const right = inOrder(b)
  return left.every(([key, value], index) => {
    const [otherKey, otherValue] = right[index]!
    return Buffer.compare(key, otherKey) === 0 && Buffer.compare(value, otherValue) === 0
  })
}

function inOrder(values: readonly ChangedValue[]): readonly ChangedValue[] {
  return [...values].sort(([a], [b]) => Buffer.compare(a, b))
}

/** All items except those of pruning, whose effect was compared, and those of a replica. */
function metadataDifference(
  expected: KeyValueReader<TableName>,
  actual: KeyValueReader<TableName>,
): TableDifference | undefined {
  for (const pair of pairs(expected.range('metadata'), actual.range('metadata'))) {
    const isPruning = Buffer.compare(pair.key, OLDEST_STATE_KEY) === 0 && pair.actual?.length === HEIGHT_BYTES
    const isNodes = NODE_KEYS.some((key) => Buffer.compare(pair.key, key) === 0)
    const difference = isPruning || isNodes ? undefined : entryDifference('metadata', pair, { expected, actual })
    if (difference !== undefined) return difference
  }
  return undefined
}
