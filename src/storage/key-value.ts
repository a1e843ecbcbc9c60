import type { Bytes } from '../primitives/hex.ts'
import type { WriteBatch } from './write-batch.ts'

export interface Entry {
  readonly key: Bytes
  readonly value: Bytes
}

/** Which entries, in which order. Keys are ordered bytewise, a prefix before what it begins. */
export interface Range {
  /** The lowest key, included; left out: the first of the table. */
  readonly from?: Bytes
  /** Above the highest key; left out: to the end of the table. */
  readonly to?: Bytes
  /** From the highest key down. */
  readonly reverse?: boolean
  /** At most so many entries. */
  readonly limit?: number
}

/** Synchronous reads of named tables. Bytes handed out are copies: the caller's to keep. */
export interface KeyValueReader<Table extends string = string> {
  get(table: Table, key: Bytes): Bytes | undefined
  /**
   * As `get`, but in memory that the next read may use again: for a value that is decoded at once and not kept, a quarter
   * of the cost.
   */
  peek(table: Table, key: Bytes): Bytes | undefined
  /**
   * The first entry at or after `key`. History is kept under (key, ~block), so that the newest value at or below a block
   * is the first entry at or after it (design section 5); the caller compares the front of the key found.
   */
  seek(table: Table, key: Bytes): Entry | undefined
  /** Lazy; leaving the loop early is fine. */
  range(table: Table, range?: Range): Iterable<Entry>
}

/**
 * All tables as they were when it was taken. It begins with one owner; every `retain` needs its own `release`, and with the
 * last one the pages it holds back become free.
 *
 * Reads of a released one throw StorageError `SNAPSHOT_RELEASED`.
 */
export interface KeyValueSnapshot<Table extends string = string> extends KeyValueReader<Table> {
  retain(): this
  release(): void
}

export interface TableStatistics {
  readonly entries: number
  /** Of pages in use. */
  readonly bytes: number
}

export interface StoreStatistics<Table extends string = string> {
  /** Of the data file. */
  readonly fileBytes: number
  /** Snapshots not released yet. */
  readonly snapshots: number
  readonly tables: Readonly<Record<Table, TableStatistics>>
}

export interface KeyValueStore<Table extends string = string> {
  /** Everything committed so far. Reading happens through snapshots only: an unpinned read would move under whoever awaits. */
  snapshot(): KeyValueSnapshot<Table>
  /**
   * Writes the whole batch or nothing of it, after the batches committed before. Resolves when it is durable (unless the
   * store was opened without sync); snapshots taken afterwards show it. The batch takes no more entries from now on.
   *
   * After one failed commit every later one is refused with `COMMIT_FAILED` too: what was built on it must not be kept.
   */
  commit(batch: WriteBatch<Table>): Promise<void>
  statistics(): StoreStatistics<Table>
  /** Waits for commits under way. Snapshots still open are released. */
  close(): Promise<void>
}

/**
 * Reads one consistent state and gives it back.
 *
 * @example withSnapshot(store, (snapshot) => snapshot.get('headers', key))
 */
export function withSnapshot<Table extends string, Result>(
  store: KeyValueStore<Table>,
  read: (snapshot: KeyValueSnapshot<Table>) => Result,
): Result {
  const snapshot = store.snapshot()
  try {
    return read(snapshot)
  } finally {
    snapshot.release()
  }
}
