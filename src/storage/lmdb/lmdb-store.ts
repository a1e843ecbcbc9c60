import { statSync } from 'node:fs'
import { join } from 'node:path'
import { open, type RootDatabase, type Transaction } from 'lmdb'
import type { MaybePromise } from '../../primitives/maybe-promise.ts'
import type { DamageMonitor } from '../damage-monitor.ts'
import { PRIVATE_FILE } from '../disk.ts'
import type { KeyValueSnapshot, KeyValueStore, StoreStatistics, TableStatistics } from '../key-value.ts'
import { DATA_FILE } from '../pages/page-file.ts'
import { PageGuard, type PageTrust } from '../pages/page-guard.ts'
import { ReaderGuard } from '../pages/reader-guard.ts'
import { UncheckedPages, type WriterGuard } from '../pages/unchecked-pages.ts'
import { isReadOnlyError, readOnlyError, StorageError } from '../storage-error.ts'
import type { SealedBatch, WriteBatch } from '../write-batch.ts'
import { GuardedSnapshot } from './guarded-snapshot.ts'
import { checkDatabaseFile } from './lmdb-file.ts'
import { LmdbSnapshot, type LmdbTable } from './lmdb-snapshot.ts'

export interface LmdbStoreOptions<Table extends string> {
  /** The directory; created unless `readOnly`. */
  readonly path: string
  /** Created unless `readOnly`; a missing table then reads as empty. */
  readonly tables: readonly Table[]
  /** Whether a commit is on disk when it resolves. Default: true. False for a temporary directory. */
  readonly sync?: boolean
  /** Whether the database is deleted when the process ends: it then has no checksums. Default: false. */
  readonly isTemporary?: boolean
  /** For readers in other threads and processes beside a writer. */
  readonly readOnly?: boolean
  /**
   * Initially reserved address space in bytes. Default: 64 GiB. Memory and disk are used only for stored data, and a
   * larger database is remapped.
   */
  readonly mapSize?: number
  /**
   * Maximum number of snapshots open at once, over all processes. Default: 16,384. The process that opens the database
   * first decides for all.
   */
  readonly maxReaders?: number
  /** Tables whose entries can be missing after damage: reads of them fail, everything else goes on. Default: none. */
  readonly expendable?: readonly Table[]
  /** Bytes per second of a check of all pages that repeats while the store is open. Default: 0, none. */
  readonly scrubBytesPerSecond?: number
  /** Longest check of pages before the store opens, in milliseconds. Default: 50. */
  readonly startCheckMs?: number
}

const DEFAULT_MAP_SIZE = 64 * 2 ** 30
/**
 * A reading thread holds about 25 snapshots: recent blocks, and those on which long requests run. This is enough for 64
 * RPC workers with several call workers each. A slot takes 64 bytes of a sparse file, and scan time only once it was
 * used.
 */
const DEFAULT_MAX_READERS = 16_384
const MAX_TABLES = 64

export interface LmdbStore<Table extends string> extends KeyValueStore<Table> {
  /** Names of all tables in the file, requested or not. */
  tableNames(): readonly string[]
}

/**
 * Opens a key-value store on LMDB. One process writes, any number read.
 *
 * @throws StorageError `TRUNCATED_DATABASE`, `NOT_A_DATABASE`, `READ_ONLY`, `DATABASE_MISSING`, `TOO_MANY_READERS`,
 *   `STORE_DAMAGED`
 * @example const store = openLmdbStore({ path, tables: ['accounts', 'code'] })
 */
export function openLmdbStore<Table extends string>(options: LmdbStoreOptions<Table>): LmdbStore<Table> {
  const { path, readOnly = false } = options
  try {
    return readOnly ? openForReading(options) : openForWriting(options)
  } catch (error) {
    throw openingError(path, error)
  }
}

function openForReading<Table extends string>(options: LmdbStoreOptions<Table>): LmdbStore<Table> {
  const { path } = options
  // LMDB reads through a memory map: a page beyond the end of the file would kill the process with SIGBUS.
  if (checkDatabaseFile(path) === 'absent') {
    throw new StorageError('DATABASE_MISSING', `there is no database in ${path}: start the node that writes it first`, {
      path,
    })
  }
  const trust = new ReaderGuard(path)
  const root = openRoot(options)
  return new OpenLmdbStore({ path }, { root, tables: openTables(root, options), trust })
}

function openForWriting<Table extends string>(options: LmdbStoreOptions<Table>): LmdbStore<Table> {
  const { path, sync = true, isTemporary = false, expendable = [], startCheckMs, scrubBytesPerSecond } = options
  if (isTemporary) {
    const root = openRoot(options)
    const guard = new UncheckedPages()
    return new OpenLmdbStore({ path }, { root, tables: openTables(root, options), trust: guard, guard })
  }
  const guard = PageGuard.open({ path, sync, expendable, startCheckMs, scrubBytesPerSecond })
  try {
    if (!guard.isCovered) checkDatabaseFile(path)
    const root = openRoot(options)
    // LMDB writes a transaction for each table that it creates.
    const tables = openTables(root, options, () => guard.opened())
    return new OpenLmdbStore({ path }, { root, tables, trust: guard, guard })
  } catch (error) {
    guard.abandon()
    throw error
  }
}

function openRoot<Table extends string>(options: LmdbStoreOptions<Table>): Root {
  return open<Uint8Array, Uint8Array>(options.path, {
    ...FILES,
    noSubdir: false,
    maxDbs: MAX_TABLES,
    maxReaders: options.maxReaders ?? DEFAULT_MAX_READERS,
    mapSize: options.mapSize ?? DEFAULT_MAP_SIZE,
    readOnly: options.readOnly ?? false,
    noSync: options.sync === false,
    // A commit then resolves when data and root are on disk, by LMDB's two-step protocol.
    overlappingSync: false,
  })
}

function openTables<Table extends string>(
  root: Root,
  { tables }: LmdbStoreOptions<Table>,
  onOpened = () => {},
): ReadonlyMap<Table, LmdbTable | undefined> {
  return new Map(
    tables.map((name) => {
      // The types omit it, but a read-only environment returns `undefined` for a missing table.
      const table: LmdbTable | undefined = root.openDB<Uint8Array, Uint8Array>({ ...FILES, name })
      onOpened()
      return [name, table] as const
    }),
  )
}

type Root = RootDatabase<Uint8Array, Uint8Array>

/** The types of lmdb lack the mode of its files. */
const FILES = { encoding: 'binary', keyEncoding: 'binary', permissionsMode: PRIVATE_FILE } as const

function openingError(path: string, error: unknown): unknown {
  if (isReadersFull(error)) return tooManyReaders(path, error)
  // lmdb mentions the operating system's error only in the message.
  const refused = error instanceof Error && /permission denied|read-only file system|not permitted/i.test(error.message)
  return refused || isReadOnlyError(error) ? readOnlyError(path, error) : error
}

/** LMDB's error code (lmdb.h), returned after it checked for dead readers. */
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
  readonly root: Root
  readonly tables: ReadonlyMap<Table, LmdbTable | undefined>
  readonly trust: PageTrust & { close(): MaybePromise<void> }
  /** Absent for a reader. */
  readonly guard?: WriterGuard
}

class OpenLmdbStore<Table extends string> implements LmdbStore<Table> {
  readonly #path: string
  readonly #deps: LmdbStoreDeps<Table>
  readonly #snapshots = new Set<LmdbSnapshot<Table>>()
  /** The last commit; each one waits for its predecessor, so that none survives a failed one. */
  #lastCommit: Promise<void> = Promise.resolve()
  #failure: StorageError | undefined
  #closed = false

  constructor(options: { readonly path: string }, deps: LmdbStoreDeps<Table>) {
    this.#path = options.path
    this.#deps = deps
    deps.guard?.scrub(() => this.#lastCommit)
  }

  get damage(): DamageMonitor {
    return this.#deps.trust.monitor
  }

  snapshot(): KeyValueSnapshot<Table> {
    this.#assertOpen()
    return this.#deps.trust.isSound ? this.#lmdbSnapshot() : this.#guardedSnapshot()
  }

  #guardedSnapshot(): KeyValueSnapshot<Table> {
    const { root, trust } = this.#deps
    for (;;) {
      const transaction = newestTransaction(root)
      const lmdb = this.#lmdbSnapshot()
      // A writer in another process may have committed in between.
      if (newestTransaction(root) === transaction) {
        return trust.isSound ? lmdb : new GuardedSnapshot({ lmdb, tables: trust.tables(transaction), trust })
      }
      lmdb.release()
    }
  }

  #lmdbSnapshot(): LmdbSnapshot<Table> {
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
    // lmdb keeps one read transaction per event loop turn: without a reset, commits of other processes would not show.
    root.resetReadTxn()
    try {
      return root.useReadTransaction()
    } catch (error) {
      throw isReadersFull(error) ? tooManyReaders(this.#path, error) : error
    }
  }

  async commit(batch: WriteBatch<Table>): Promise<void> {
    this.#assertOpen()
    if (this.#deps.guard === undefined) {
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
    // LMDB stores tables as entries of the unnamed database; lmdb terminates their names with a zero byte.
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

  stopCheck(): void {
    this.#deps.guard?.stopCheck()
  }

  async close(): Promise<void> {
    if (this.#closed) return
    this.#closed = true
    const { root, trust } = this.#deps
    this.stopCheck()
    await this.#lastCommit
    for (const snapshot of [...this.#snapshots]) snapshot.releaseAll()
    await root.close()
    await trust.close()
  }

  async #write(batch: SealedBatch<Table>): Promise<void> {
    if (this.#failure !== undefined) throw this.#failure
    if (batch.size === 0) return
    const { root, tables } = this.#deps
    const guard = this.#deps.guard!
    try {
      await guard.checked()
      assertUndamaged(batch, guard)
      // Removes slots of killed readers, whose snapshots would pin pages forever.
      root.readerCheck()
      // lmdb's thread walks the tree and syncs; this thread only passes pointers (measured: 6 ms for 12,000 puts,
      // compared with 108 ms for `transaction` and 200 ms for `transactionSync`).
      await root.batch(() => {
        batch.forEach((table, key, value) => {
          const target = tables.get(table)
          if (value === undefined) target?.remove(key)
          else target?.put(key, value)
        })
      })
      await root.flushed
      await guard.committed()
    } catch (error) {
      throw this.#fail(await commitCause(error))
    }
  }

  #fail(cause: unknown): StorageError {
    if (cause instanceof StorageError) {
      this.#failure = cause
      return cause
    }
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

/** LMDB copies damaged pages as if they were sound. */
function assertUndamaged<Table extends string>(batch: SealedBatch<Table>, guard: WriterGuard): void {
  if (guard.isSound) return
  batch.forEach((table, key, value) => {
    guard.assertUndamaged(table, key, value === undefined)
  })
}

function newestTransaction(root: Root): number {
  return (root.getStats() as { readonly lastTxnId: number }).lastTxnId
}

function tableStatistics(table: LmdbTable | undefined): TableStatistics {
  if (table === undefined) return { entries: 0, bytes: 0 }
  const { entryCount, pageSize, treeBranchPageCount, treeLeafPageCount, overflowPages } =
    table.getStats() as LmdbStatistics
  return { entries: entryCount, bytes: pageSize * (treeBranchPageCount + treeLeafPageCount + overflowPages) }
}

/** Result of `getStats`, which lmdb does not type. */
interface LmdbStatistics {
  readonly entryCount: number
  readonly pageSize: number
  readonly treeBranchPageCount: number
  readonly treeLeafPageCount: number
  readonly overflowPages: number
}

/** lmdb rejects with an error that refers to a second promise, which rejects with the reason. */
async function commitCause(error: unknown): Promise<unknown> {
  if (!(error instanceof Error) || !('commitError' in error)) return error
  try {
    await error.commitError
    return error
  } catch (cause) {
    return cause
  }
}
