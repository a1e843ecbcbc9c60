import { open, type RootDatabase } from 'lmdb'
import { PRIVATE_FILE } from '../disk.ts'
import type { TableSet, TableSets } from '../table-sets.ts'
import type { LmdbTable } from './lmdb-snapshot.ts'

const DEFAULT_MAP_SIZE = 64 * 2 ** 30
/**
 * A reading thread holds about 25 snapshots: recent blocks, and those on which long requests run. This is enough for 64
 * RPC workers with several call workers each. A slot takes 64 bytes of a sparse file, and scan time only once it was
 * used.
 */
const DEFAULT_MAX_READERS = 16_384
const MAX_TABLES = 64

export interface RootOptions {
  /** As in `LmdbStoreOptions`. */
  readonly path: string
  readonly sync?: boolean
  readonly readOnly?: boolean
  readonly mapSize?: number
  readonly maxReaders?: number
}

/** Opens the environment. */
export function openRoot(options: RootOptions): Root {
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

/** The tables of each set. */
export type OpenTables<Table extends string> = Readonly<Record<TableSet, ReadonlyMap<Table, LmdbTable | undefined>>>

/** A table that does not exist is absent for a reader. */
export function openTables<Table extends string>(root: Root, sets: TableSets<Table>): OpenTables<Table> {
  // The types omit it, but a read-only environment returns `undefined` for a missing table.
  const open = (name: string): LmdbTable | undefined => root.openDB<Uint8Array, Uint8Array>({ ...FILES, name })
  const opened = new Map(sets.storedNames.map((name) => [name, open(name)]))
  const inSet = (set: TableSet) =>
    new Map(sets.tables.map((table) => [table, opened.get(sets.storedName(table, set))] as const))
  return { 0: inSet(0), 1: inSet(1) }
}

/** Also opens the tables of both sets, in one transaction: a reader cannot open tables while it has snapshots. */
export function createTables<Table extends string>(root: Root, sets: TableSets<Table>): OpenTables<Table> {
  return root.transactionSync(() => openTables(root, sets))
}

export type Root = RootDatabase<Uint8Array, Uint8Array>

/** The types of lmdb lack the mode of its files. */
const FILES = { encoding: 'binary', keyEncoding: 'binary', permissionsMode: PRIVATE_FILE } as const
