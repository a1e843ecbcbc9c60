import type { Bytes } from '../../primitives/hex.ts'
import type { Entry, KeyValueReader, KeyValueSnapshot, Range } from '../key-value.ts'
import type { PageTrust } from '../pages/page-guard.ts'
import type { PageTables } from '../pages/page-tables.ts'
import type { LmdbSnapshot, LmdbTable } from './lmdb-snapshot.ts'

export interface GuardedSnapshotDeps<Table extends string> {
  /** Pins the pages. */
  readonly lmdb: LmdbSnapshot<Table>
  /** The same transaction, read page by page. */
  readonly tables: PageTables<Table>
  readonly trust: PageTrust
}

/** A snapshot of a database that is not checked yet, or damaged: LMDB reads only tables whose pages are intact. */
export class GuardedSnapshot<Table extends string> implements KeyValueSnapshot<Table> {
  readonly #deps: GuardedSnapshotDeps<Table>
  #storedName: (table: Table) => string = (table) => table

  constructor(deps: GuardedSnapshotDeps<Table>) {
    this.#deps = deps
  }

  /** Reads these tables from now on, as of the same transaction. @param storedName their names in the file */
  use(tables: ReadonlyMap<Table, LmdbTable | undefined>, storedName: (table: Table) => string): void {
    this.#deps.lmdb.use(tables)
    this.#deps.tables.use(storedName)
    this.#storedName = storedName
  }

  get(table: Table, key: Bytes): Bytes | undefined {
    return this.#readerOf(table).get(table, key)
  }

  peek(table: Table, key: Bytes): Bytes | undefined {
    return this.#readerOf(table).peek(table, key)
  }

  seek(table: Table, key: Bytes): Entry | undefined {
    return this.#readerOf(table).seek(table, key)
  }

  range(table: Table, range?: Range): Iterable<Entry> {
    return this.#readerOf(table).range(table, range)
  }

  retain(): this {
    this.#deps.lmdb.retain()
    return this
  }

  release(): void {
    this.#deps.lmdb.release()
  }

  #readerOf(table: Table): KeyValueReader<Table> {
    const { lmdb, tables, trust } = this.#deps
    return trust.trusts(this.#storedName(table)) ? lmdb : tables
  }
}
