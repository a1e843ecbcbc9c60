import { join } from 'node:path'
import type { Bytes, Hash } from '../../primitives/hex.ts'
import { disk } from '../../storage/disk.ts'
import { type KeyValueStore, withSnapshot } from '../../storage/key-value.ts'
import { checkDatabaseFile } from '../../storage/lmdb/lmdb-file.ts'
import { openLmdbStore } from '../../storage/lmdb/lmdb-store.ts'
import { DATA_FILE } from '../../storage/pages/page-file.ts'
import { openPageStore, type PageStore } from '../../storage/pages/page-store.ts'
import { NEW_SUMS_FILE, SUMS_FILE } from '../../storage/pages/page-sums.ts'
import { CHECKED_FILE, storeDamaged } from '../../storage/pages/store-damage.ts'
import {
  isReadOnlyError,
  readOnlyError,
  StorageError,
  type StorageErrorCode,
  systemErrorCode,
} from '../../storage/storage-error.ts'
import { tableOf } from '../../storage/table-sets.ts'
import { WriteBatch } from '../../storage/write-batch.ts'
import { IDENTITY_KEY } from './encoding/metadata-keys.ts'
import { CHAIN_TABLES, SCHEMA_VERSION, TABLE_NAMES, type TableName } from './encoding/tables.ts'

/** Identifies the chain of a directory. */
export interface ChainIdentity {
  readonly chainId: bigint
  readonly genesisHash: Hash
}

export interface ChainDatabaseOptions {
  /** Data directory of one network. Records, pool journal and lock are beside the database. */
  readonly path: string
  readonly identity: ChainIdentity
  /** This and the next three as in LmdbStoreOptions. */
  readonly sync?: boolean
  readonly isTemporary?: boolean
  readonly readOnly?: boolean
  readonly mapSize?: number
  readonly scrubBytesPerSecond?: number
}

export type ChainDatabase = KeyValueStore<TableName>

/** Names beside the database in the data directory. */
export const RECORDS_DIRECTORY = 'records'
const POOL_DIRECTORY = 'pool'
export const LOCK_NAME = 'lock'

/**
 * Opens the database of a chain. For an empty directory, schema version, chain id and genesis hash are written and
 * synced before anything else.
 *
 * @throws StorageError `NEWER_SCHEMA`, `OLDER_SCHEMA`, `OTHER_CHAIN`, `NOT_OUR_DIRECTORY`, `DATABASE_MISSING`,
 *   `READ_ONLY`, `TRUNCATED_DATABASE`, `NOT_A_DATABASE`, `STORE_DAMAGED`
 * @example const store = await openChainDatabase({ path, identity: { chainId: 31337n, genesisHash } })
 */
export async function openChainDatabase(options: ChainDatabaseOptions): Promise<ChainDatabase> {
  const { path, identity, readOnly = false } = options
  if (!readOnly) await makeDirectory(path)
  const found = await readDirectory(path, readOnly)
  const verdict = openingVerdict(found, identity, path)
  if (verdict.kind === 'refuse') throw new StorageError(verdict.code, verdict.message, { path })
  const store = openLmdbStore({ ...options, ...CHAIN_TABLES })
  if (verdict.kind === 'create' && !readOnly) {
    await writeIdentity(store, identity, { hasChecksums: options.isTemporary !== true })
    // LMDB syncs its files, not their names.
    if (options.sync !== false) await disk.syncDirectory(path)
  }
  return store
}

/**
 * Opens the database of a chain that no process writes, without LMDB, so that reads of damaged pages throw StorageError
 * `DATA_DAMAGED`. A database without checksums is read through LMDB.
 *
 * @throws StorageError as `openChainDatabase`
 */
export async function openStoppedDatabase({
  path,
  identity,
}: Pick<ChainDatabaseOptions, 'path' | 'identity'>): Promise<ChainDatabase | PageStore<TableName>> {
  const verdict = openingVerdict(await readDirectory(path, false), identity, path)
  if (verdict.kind === 'refuse') throw new StorageError(verdict.code, verdict.message, { path })
  return openPageStore({ path, ...CHAIN_TABLES }) ?? openChainDatabase({ path, identity, readOnly: true })
}

/**
 * Creates a directory and its parents.
 *
 * @throws StorageError `READ_ONLY`, `NOT_OUR_DIRECTORY`
 */
export async function makeDirectory(path: string): Promise<void> {
  try {
    await disk.makeDirectory(path)
  } catch (error) {
    // ENOENT: virtual file systems such as /proc do not accept directories.
    if (isReadOnlyError(error) || systemErrorCode(error) === 'ENOENT') throw readOnlyError(path, error)
    if (!['ENOTDIR', 'EEXIST'].includes(systemErrorCode(error) ?? '')) throw error
    const message = `${path} cannot be a directory, there is a file in its way: choose another data directory`
    throw new StorageError('NOT_OUR_DIRECTORY', message, { path, cause: error })
  }
}

/** Content of a directory before it is opened. */
export type DirectoryContent =
  /** Nothing, or a database whose creation was interrupted before its first write. */
  | { readonly kind: 'empty' }
  /** `names` are foreign files. */
  | { readonly kind: 'foreign'; readonly names: readonly string[] }
  /** Records, a pool journal or checksums without the database. */
  | { readonly kind: 'incomplete' }
  | { readonly kind: 'database'; readonly identity: Bytes | undefined; readonly hasChecksums?: boolean }

export type OpeningVerdict =
  | { readonly kind: 'create' }
  | { readonly kind: 'open' }
  | { readonly kind: 'refuse'; readonly code: StorageErrorCode; readonly message: string }

/** Decides whether a directory may be opened for a chain. */
export function openingVerdict(found: DirectoryContent, wanted: ChainIdentity, path: string): OpeningVerdict {
  const refuse = (code: StorageErrorCode, message: string): OpeningVerdict => ({ kind: 'refuse', code, message })
  const notOurs = (reason: string): OpeningVerdict =>
    refuse('NOT_OUR_DIRECTORY', `${path} ${reason}: choose an empty directory, or one that this program made`)
  switch (found.kind) {
    case 'empty':
      return { kind: 'create' }
    case 'foreign':
      return notOurs(`holds files of something else (${found.names.slice(0, 3).join(', ')})`)
    case 'incomplete':
      return refuse(
        'DATABASE_MISSING',
        `${path} holds files of a chain but ${DATA_FILE} is gone: restore the directory from a copy, or remove it to begin anew`,
      )
    case 'database':
      break
  }
  const identity = found.identity === undefined ? undefined : decodeIdentity(found.identity)
  if (identity === undefined) return notOurs('holds the database of another program')
  if (identity.schema > SCHEMA_VERSION) {
    return refuse(
      'NEWER_SCHEMA',
      `${path} was written by a newer version of this program (schema ${identity.schema}, this one knows ${SCHEMA_VERSION}): use that version, or another data directory`,
    )
  }
  if (identity.schema < SCHEMA_VERSION) {
    return refuse(
      'OLDER_SCHEMA',
      `${path} was written by an older version of this program (schema ${identity.schema}, this one writes ${SCHEMA_VERSION}): export the blocks with that version and import them into an empty directory`,
    )
  }
  if (identity.chainId !== `${wanted.chainId}` || identity.genesisHash !== wanted.genesisHash) {
    return refuse(
      'OTHER_CHAIN',
      `${path} belongs to another chain (chain id ${identity.chainId}, genesis ${identity.genesisHash}; wanted ${wanted.chainId}, ${wanted.genesisHash}): give the flags of block 0 that made it (--demo-stocks v1 if an earlier version made it, --compat, --chain-id, --genesis, --accounts, --fork-block-number and others), choose another --datadir, or use --ephemeral`,
    )
  }
  if (identity.checksums && found.hasChecksums !== true) {
    const { code, message } = storeDamaged(path, `${SUMS_FILE} is missing`)
    return refuse(code, message)
  }
  return { kind: 'open' }
}

const APPLICATION = 'tickertape'

interface WrittenIdentity {
  readonly application: typeof APPLICATION
  readonly schema: number
  /** Decimal. */
  readonly chainId: string
  readonly genesisHash: string
  /** Whether pages have checksums; false for a temporary database. */
  readonly checksums: boolean
}

function decodeIdentity(bytes: Bytes): WrittenIdentity | undefined {
  try {
    const value: unknown = JSON.parse(Buffer.from(bytes).toString('utf8'))
    if (typeof value !== 'object' || value === null) return undefined
    const { application, schema, chainId, genesisHash, checksums } = value as Partial<
      Record<keyof WrittenIdentity, unknown>
    >
    if (application !== APPLICATION || typeof schema !== 'number') return undefined
    return {
      application,
      schema,
      chainId: String(chainId),
      genesisHash: String(genesisHash),
      checksums: checksums === true,
    }
  } catch {
    return undefined
  }
}

async function writeIdentity(
  store: ChainDatabase,
  { chainId, genesisHash }: ChainIdentity,
  { hasChecksums }: { readonly hasChecksums: boolean },
): Promise<void> {
  const written: WrittenIdentity = {
    application: APPLICATION,
    schema: SCHEMA_VERSION,
    chainId: chainId.toString(),
    genesisHash,
    checksums: hasChecksums,
  }
  const batch = new WriteBatch<TableName>()
  batch.put('metadata', IDENTITY_KEY, Buffer.from(JSON.stringify(written)))
  await store.commit(batch)
}

/** Names of the database's own files. */
export const DATABASE_FILES: ReadonlySet<string> = new Set([
  DATA_FILE,
  'lock.mdb',
  SUMS_FILE,
  NEW_SUMS_FILE,
  CHECKED_FILE,
  `${CHECKED_FILE}.new`,
])
const OUR_DIRECTORIES: readonly string[] = [RECORDS_DIRECTORY, POOL_DIRECTORY]

/** @param isLive whether another thread or process may write the database */
async function readDirectory(path: string, isLive: boolean): Promise<DirectoryContent> {
  const names = disk.list(path)
  const others = names.filter((name) => !DATABASE_FILES.has(name) && name !== LOCK_NAME)
  const hasChecksums = names.includes(SUMS_FILE)
  const hasData = disk.size(join(path, DATA_FILE)) > 0
  // Read before any table is created: a database of another program must not change.
  if (hasData && hasChecksums && !isLive) {
    const pages = openPageStore({ path, ...CHAIN_TABLES })!
    const content = await contentOf(pages, pages.tableNames())
    if (content.kind === 'database') return content
  } else if (hasData && checkDatabaseFile(path) === 'sound') {
    const probe = openLmdbStore({ path, ...CHAIN_TABLES, readOnly: true })
    const content = await contentOf(probe, probe.tableNames())
    if (content.kind === 'database') return { ...content, hasChecksums }
  }
  const foreign = others.filter((name) => !OUR_DIRECTORIES.includes(name))
  if (foreign.length > 0) return { kind: 'foreign', names: foreign }
  if (hasChecksums && !hasData) return { kind: 'incomplete' }
  return others.some((name) => disk.list(join(path, name)).length > 0) ? { kind: 'incomplete' } : { kind: 'empty' }
}

/** Closes the store. */
async function contentOf(store: ChainDatabase, tables: readonly string[]): Promise<DirectoryContent> {
  try {
    const identity = withSnapshot(store, (snapshot) => snapshot.get('metadata', IDENTITY_KEY))
    if (identity !== undefined) return { kind: 'database', identity, hasChecksums: true }
    const ours = new Set<string>(TABLE_NAMES)
    const foreign = tables.filter((name) => !ours.has(tableOf(name)))
    const statistics = Object.values(store.statistics().tables)
    const isUnused = foreign.length === 0 && statistics.every(({ entries }) => entries === 0)
    return isUnused ? { kind: 'empty' } : { kind: 'database', identity }
  } finally {
    await store.close()
  }
}
