import { statSync } from 'node:fs'
import type { KeyValueSnapshot, KeyValueStore, StoreStatistics } from '../key-value.ts'
import { StorageError } from '../storage-error.ts'
import { type ReplaceableTables, TableSets } from '../table-sets.ts'
import { checkPages, type DamagedPart, damagedParts } from './check-pages.ts'
import { type CoveredDatabase, openCoveredDatabase } from './covered-database.ts'
import { matchesSum, PageReader } from './page-reader.ts'
import { PageTables } from './page-tables.ts'
import { finished } from './steps.ts'

export interface PageStoreOptions<Table extends string> {
  readonly path: string
  readonly tables: readonly Table[]
  /** Those that may have been replaced. Default: none. */
  readonly replaceable?: ReplaceableTables<Table>
}

/** A database that no process writes, read without LMDB. */
export interface PageStore<Table extends string> extends KeyValueStore<Table> {
  /** Names of all tables in the file. */
  tableNames(): readonly string[]
  /** Compares all pages with their checksums. Takes a second for 2 GB. */
  damagedParts(): readonly DamagedPart[]
}

/**
 * Opens a database for reading without LMDB, so that damage leads to an error at the read that meets it: StorageError
 * `DATA_DAMAGED`.
 *
 * @returns `undefined` if the database has no checksums
 * @throws StorageError `STORE_DAMAGED` when the files do not belong together
 */
export function openPageStore<Table extends string>(options: PageStoreOptions<Table>): PageStore<Table> | undefined {
  const database = openCoveredDatabase(options.path)
  return database && new OpenPageStore(options, database)
}

class OpenPageStore<Table extends string> implements PageStore<Table> {
  readonly #options: PageStoreOptions<Table>
  readonly #database: CoveredDatabase
  readonly #tables: PageTables<Table>
  #isSetKnown = false

  constructor(options: PageStoreOptions<Table>, database: CoveredDatabase) {
    this.#options = options
    this.#database = database
    const { file, sums, meta } = database
    this.#tables = new PageTables({ directory: options.path, meta }, { reader: new PageReader(file, matchesSum(sums)) })
  }

  tableNames(): readonly string[] {
    return this.#tables.names()
  }

  damagedParts(): readonly DamagedPart[] {
    const { file, sums, meta } = this.#database
    const damaged = new Set<number>()
    finished(checkPages(file, sums, { damaged }))
    return damaged.size === 0 ? [] : damagedParts(file, meta, damaged)
  }

  snapshot(): KeyValueSnapshot<Table> {
    const tables = this.#inUse()
    return {
      get: (table, key) => tables.get(table, key),
      peek: (table, key) => tables.peek(table, key),
      seek: (table, key) => tables.seek(table, key),
      range: (table, range) => tables.range(table, range),
      retain() {
        return this
      },
      // The file does not change.
      release() {},
    }
  }

  async commit(): Promise<void> {
    const { path } = this.#options
    throw new StorageError('READ_ONLY', `${path} was opened read-only`, { path })
  }

  statistics(): StoreStatistics<Table> {
    const inUse = this.#inUse()
    const tables = this.#options.tables.map((name) => [name, inUse.statistics(name)] as const)
    return {
      fileBytes: statSync(this.#database.file.path).size,
      snapshots: 0,
      tables: Object.fromEntries(tables) as StoreStatistics<Table>['tables'],
    }
  }

  async close(): Promise<void> {
    this.#database.file.close()
  }

  /** @throws StorageError `DATA_DAMAGED` */
  #inUse(): PageTables<Table> {
    if (!this.#isSetKnown) {
      const { tables, replaceable } = this.#options
      const sets = new TableSets(tables, replaceable)
      const set = sets.inUse(this.#tables)
      this.#tables.use((table) => sets.storedName(table, set))
      this.#isSetKnown = true
    }
    return this.#tables
  }
}
