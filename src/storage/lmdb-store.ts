import { statSync } from 'node:fs'
import { join } from 'node:path'
import { open, type RootDatabase, type Transaction } from 'lmdb'
import type { KeyValueSnapshot, KeyValueStore, StoreStatistics, TableStatistics } from './key-value.ts'
import { checkDatabaseFile, DATA_FILE } from './lmdb-file.ts'
import { LmdbSnapshot, type LmdbTable } from './lmdb-snapshot.ts'
import { isReadOnlyError, readOnlyError, StorageError } from './storage-error.ts'
import type { SealedBatch, WriteBatch } from './write-batch.ts'

export interface LmdbStoreOptions<Table extends string> {
  /** The directory; created when it is not there, unless `readOnly`. */
  readonly path: string
  /** Created when they are not there, unless `readOnly`: then they read as empty. */
  readonly tables: readonly Table[]
  /** Whether a commit is on disk when it resolves: true. False for a directory that is thrown away. */
  readonly sync?: boolean
  /** For other threads and processes while one of them writes. */
  readonly readOnly?: boolean
  /**
   * Address space reserved at first, in bytes: 64 GiB. Reserved, not used: memory and disk are taken by what is stored,
   * and a larger database maps itself again.
   */
  readonly mapSize?: number
  /**
   * Snapshots of different states and threads that can be open at once, over all processes: 16,384. What the process asks for
   * that opens the database first counts for all.
   */
  readonly maxReaders?: number
}

const DEFAULT_MAP_SIZE = 64 * 2 ** 30
/**
 * A thread that reads holds some 25 of them: the states of the newest blocks, and those that long requests began on. 64 RPC
 * workers with several call workers each have room. A slot takes 64 bytes of a sparse file, and time only once it was used.
 */
const DEFAULT_MAX_READERS = 16_384
const MAX_TABLES = 64

export interface LmdbStore<Table extends string> extends KeyValueStore<Table> {
  /** Of all tables in the file, also those that were not asked for. */
  tableNames(): readonly string[]
}

/**
 * A key-value store on LMDB. One process writes, any number read.
 *
 * @throws StorageError `TRUNCATED_DATABASE`, `NOT_A_DATABASE`, `READ_ONLY`, `DATABASE_MISSING`, `TOO_MANY_READERS`
 * @example const store = openLmdbStore({ path, tables: ['accounts', 'code'] })
 */
export function openLmdbStore<Table extends string>(options: LmdbStoreOptions<Table>): LmdbStore<Table> {
  const { path, readOnly = false } = options
  try {
    // LMDB reads through a memory map: a page beyond the end of the file would end the process with SIGBUS.
    if (checkDatabaseFile(path) === 'absent' && readOnly) {
      throw new StorageError(
        'DATABASE_MISSING',
        `there is no database in ${path}: start the node that writes it first`,
        {
          path,
        },
      )
    }
    const root = open<Uint8Array, Uint8Array>(path, {
      ...ENCODING,
      noSubdir: false,
      maxDbs: MAX_TABLES,
      maxReaders: options.maxReaders ?? DEFAULT_MAX_READERS,
      mapSize: options.mapSize ?? DEFAULT_MAP_SIZE,
      readOnly,
      noSync: options.sync === false,
      // A commit then resolves when both data and root are on disk, by LMDB's own protocol of two synced steps.
      overlappingSync: false,
    })
    // Typed as always there; a read-only environment gives `undefined` for a table that nobody has made.
    const openTable = (name: Table): LmdbTable | undefined => root.openDB<Uint8Array, Uint8Array>({ ...ENCODING, name })
    const tables = new Map(options.tables.map((name) => [name, openTable(name)]))
    return new OpenLmdbStore({ path, readOnly }, { root, tables })
  } catch (error) {
    throw openingError(path, error)
  }
}

const ENCODING = { encoding: 'binary', keyEncoding: 'binary' } as const

function openingError(path: string, error: unknown): unknown {
  if (isReadersFull(error)) return tooManyReaders(path, error)
  // LMDB for Node puts the operating system's error into the text only.
  const refused = error instanceof Error && /permission denied|read-only file system|not permitted/i.test(error.message)
  return refused || isReadOnlyError(error) ? readOnlyError(path, error) : error
}

/** LMDB's own code of it (lmdb.h), after it has looked for processes that are gone. */
const MDB_READERS_FULL = -30790

function isReadersFull(error: unknown): boolean {
  return error instanceof Error && 'code' in error && error.code === MDB_READERS_FULL
}

function tooManyReaders(path: string, cause: unknown): StorageError {
  return new StorageError(
    'TOO_MANY_READERS',
    `${path} is read by as many as can read it at once: run fewer processes and threads upon it (\`--rpc-workers\`, \`--call-workers\`), or let requests take less time`,
    { path, cause },
  )
}

interface LmdbStoreDeps<Table extends string> {
  readonly root: RootDatabase<Uint8Array, Uint8Array>
  readonly tables: ReadonlyMap<Table, LmdbTable | undefined>
}

class OpenLmdbStore<Table extends string> implements LmdbStore<Table> {
  readonly #path: string
  readonly #readOnly: boolean
  readonly #deps: LmdbStoreDeps<Table>
  readonly #snapshots = new Set<LmdbSnapshot<Table>>()
  /** The newest commit; each waits for the one before, so that none outlives a failed one. */
  #lastCommit: Promise<void> = Promise.resolve()
  #failure: StorageError | undefined
  #closed = false

  constructor(options: { readonly path: string; readonly readOnly: boolean }, deps: LmdbStoreDeps<Table>) {
    this.#path = options.path
    this.#readOnly = options.readOnly
    this.#deps = deps
  }

  snapshot(): KeyValueSnapshot<Table> {
    this.#assertOpen()
    const { tables } = this.#deps
    const snapshot = new LmdbSnapshot<Table>({
      transaction: this.#readTransaction(),
      tables,
      onRelease: (released) => this.#snapshots.delete(released),
    })
    this.#snapshots.add(snapshot)
    return snapshot
  }

  #readTransaction(): Transaction {
    const { root } = this.#deps
    // The library keeps one read transaction per event turn: without this, what another process committed would not show.
    root.resetReadTxn()
    try {
      return root.useReadTransaction()
    } catch (error) {
      throw isReadersFull(error) ? tooManyReaders(this.#path, error) : error
    }
  }

  async commit(batch: WriteBatch<Table>): Promise<void> {
    this.#assertOpen()
    if (this.#readOnly) {
      throw new StorageError(
        'READ_ONLY',
        `${this.#path} was opened read-only: only the node that holds its lock writes`,
        {
          path: this.#path,
        },
      )
    }
    const sealed = batch.seal()
    for (const table of sealed.tables) {
      if (!this.#deps.tables.has(table)) throw new Error(`there is no table ${table}`)
    }
    const commit = this.#lastCommit.then(() => this.#write(sealed))
    this.#lastCommit = commit.catch(() => {})
    return commit
  }

  tableNames(): readonly string[] {
    this.#assertOpen()
    // LMDB keeps the tables as entries of its unnamed one; the library ends their names with a zero byte.
    return [...this.#deps.root.getKeys()].map((key) =>
      Buffer.from(key as Uint8Array)
        .toString('utf8')
        .replace(/\0$/, ''),
    )
  }

  statistics(): StoreStatistics<Table> {
    this.#assertOpen()
    const tables = [...this.#deps.tables].map(([name, table]) => [name, tableStatistics(table)] as const)
    return {
      fileBytes: statSync(join(this.#path, DATA_FILE)).size,
      snapshots: this.#snapshots.size,
      tables: Object.fromEntries(tables) as Record<Table, TableStatistics>,
    }
  }

  async close(): Promise<void> {
    if (this.#closed) return
    this.#closed = true
    await this.#lastCommit
    for (const snapshot of [...this.#snapshots]) snapshot.releaseAll()
    await this.#deps.root.close()
  }

  async #write(batch: SealedBatch<Table>): Promise<void> {
    if (this.#failure !== undefined) throw this.#failure
    if (batch.size === 0) return
    const { root, tables } = this.#deps
    try {
      // Of reading processes that were killed: their snapshots would hold pages back for ever.
      root.readerCheck()
      // The thread of the library walks the tree and syncs: this one only hands over pointers (measured: 6 ms for 12,000
      // puts, where `transaction` holds it for 108 ms and `transactionSync` for 200 ms).
      await root.batch(() => {
        batch.forEach((table, key, value) => {
          const target = tables.get(table)
          if (value === undefined) target?.remove(key)
          else target?.put(key, value)
        })
      })
      await root.flushed
    } catch (error) {
      throw this.#fail(await commitCause(error))
    }
  }

  #fail(cause: unknown): StorageError {
    const reason = cause instanceof Error ? cause.message : String(cause)
    this.#failure = new StorageError(
      'COMMIT_FAILED',
      `writing to ${this.#path} failed (${reason}): nothing more is written; make room on the disk or repair it, then start again`,
      { path: this.#path, cause },
    )
    return this.#failure
  }

  #assertOpen(): void {
    if (this.#closed)
      throw new StorageError('STORE_CLOSED', `the store in ${this.#path} is closed`, { path: this.#path })
  }
}

function tableStatistics(table: LmdbTable | undefined): TableStatistics {
  if (table === undefined) return { entries: 0, bytes: 0 }
  const { entryCount, pageSize, treeBranchPageCount, treeLeafPageCount, overflowPages } =
    table.getStats() as LmdbStatistics
  return { entries: entryCount, bytes: pageSize * (treeBranchPageCount + treeLeafPageCount + overflowPages) }
}

/** What `getStats` gives, which the library's types leave open. */
interface LmdbStatistics {
  readonly entryCount: number
  readonly pageSize: number
  readonly treeBranchPageCount: number
  readonly treeLeafPageCount: number
  readonly overflowPages: number
}

/** The library rejects with a text that points to a second promise, which rejects with the reason. */
async function commitCause(error: unknown): Promise<unknown> {
  if (!(error instanceof Error) || !('commitError' in error)) return error
  try {
    await error.commitError
    return error
  } catch (cause) {
    return cause
  }
}
