import type { Bytes } from '../primitives/hex.ts'
import type { DamageMonitor } from './damage-monitor.ts'
import type { WriteBatch } from './write-batch.ts'

export interface Entry {
  readonly key: Bytes
  readonly value: Bytes
}

/** A range of keys, ordered bytewise. */
export interface Range {
  /** Lowest key, inclusive. Default: the start of the table. */
  readonly from?: Bytes
  /** Upper bound, exclusive. Default: the end of the table. */
  readonly to?: Bytes
  /** Descending order. */
  readonly reverse?: boolean
  /** Maximum number of entries. */
  readonly limit?: number
}

/** Synchronous reads of named tables. Returned bytes are copies that the caller may keep. */
export interface KeyValueReader<Table extends string = string> {
  get(table: Table, key: Bytes): Bytes | undefined
  /**
   * As `get`, but the bytes are valid only until the next read: a quarter of the cost for a value that is decoded at
   * once.
   */
  peek(table: Table, key: Bytes): Bytes | undefined
  /**
   * The first entry at or after `key`. History is stored under (key, ~block), so that the latest value at or before a
   * block is the first entry at or after it; the caller checks the prefix of the key found.
   */
  seek(table: Table, key: Bytes): Entry | undefined
  /** Lazy; the caller may stop early. */
  range(table: Table, range?: Range): Iterable<Entry>
}

/**
 * All tables as of one commit. A snapshot is created with one owner; each `retain` needs a `release`, and the last
 * release frees the pages that it pins.
 *
 * Reads after that throw StorageError `SNAPSHOT_RELEASED`.
 */
export interface KeyValueSnapshot<Table extends string = string> extends KeyValueReader<Table> {
  retain(): this
  release(): void
}

export interface TableStatistics {
  readonly entries: number
  /** Size of the pages in use. */
  readonly bytes: number
}

export interface StoreStatistics<Table extends string = string> {
  /** Size of the data file. */
  readonly fileBytes: number
  /** Number of unreleased snapshots. */
  readonly snapshots: number
  readonly tables: Readonly<Record<Table, TableStatistics>>
}

/** Tables that are filled beside those in use. The tables that are not replaceable are those of the store. */
export interface TableReplacement<Table extends string = string>
  extends Pick<KeyValueStore<Table>, 'snapshot' | 'commit'> {
  /**
   * Commits a last batch and replaces the tables in use, in one transaction. Snapshots taken before keep their content.
   */
  complete(batch: WriteBatch<Table>): Promise<void>
}

export interface KeyValueStore<Table extends string = string> {
  /**
   * A snapshot of everything committed so far. All reads go through snapshots, since an unpinned read could change
   * across an `await`.
   */
  snapshot(): KeyValueSnapshot<Table>
  /**
   * Commits the whole batch or nothing, after earlier batches. Resolves when it is durable (unless the store was opened
   * without sync); later snapshots include it. The batch is sealed.
   *
   * After a failed commit every later one fails with `COMMIT_FAILED`, since it may build on the failed one.
   */
  commit(batch: WriteBatch<Table>): Promise<void>
  statistics(): StoreStatistics<Table>
  /** Damage found so far. Absent for a store that does not check itself. */
  readonly damage?: DamageMonitor | undefined
  /** Ends a check of the stored data that commits wait for: they fail with `STORE_CLOSED`. */
  stopCheck?(): void
  /**
   * Begins to replace the content of the replaceable tables (`table-sets.ts`): fills others beside them. Discards what
   * an earlier replacement that was not completed has left. Absent for a store that is only read.
   */
  replace?(): Promise<TableReplacement<Table>>
  /** Waits for running commits, then releases open snapshots. */
  close(): Promise<void>
}

/**
 * Runs `read` on a snapshot and releases it.
 *
 * @example withSnapshot(store, (snapshot) => snapshot.get('headers', key))
 */
export function withSnapshot<Table extends string, Result>(
  store: Pick<KeyValueStore<Table>, 'snapshot'>,
  read: (snapshot: KeyValueSnapshot<Table>) => Result,
): Result {
  const snapshot = store.snapshot()
  try {
    return read(snapshot)
  } finally {
    snapshot.release()
  }
}
