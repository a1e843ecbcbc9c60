import { mkdtemp, readdir, rm, stat } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import {
  type ChainIdentity,
  LOCK_NAME,
  makeDirectory,
  openChainDatabase,
  RECORDS_DIRECTORY,
} from '../../state/chain-store/open-chain-database.ts'
import type { TableName } from '../../state/chain-store/tables.ts'
import { type DirectoryLock, lockDirectory } from '../../storage/directory-lock.ts'
import { disk } from '../../storage/disk.ts'
import type { KeyValueStore } from '../../storage/key-value.ts'
import { openSegmentLog, type SegmentLog } from '../../storage/segment-log.ts'

/** Files go as a whole and every record kept is read at start: small files keep the start short. */
const SEGMENT_BYTES = 8 * 2 ** 20

export interface DataDirectoryOptions {
  /** Where one network's chain is kept; `undefined`: a temporary directory, deleted at the end and never synced. */
  readonly path: string | undefined
  readonly identity: ChainIdentity
  /** A new file of records begins beyond this: 8 MiB. */
  readonly segmentBytes?: number
}

/** The open database and record log of one network, and the lock that makes this process their only writer. */
export interface DataDirectory {
  readonly path: string
  readonly store: KeyValueStore<TableName>
  readonly log: SegmentLog
  close(): Promise<void>
}

/**
 * Opens a data directory, or makes one.
 *
 * @throws StorageError when it is in use, foreign, newer, damaged or cannot be written; its message says what to do
 */
export async function openDataDirectory(options: DataDirectoryOptions): Promise<DataDirectory> {
  const { segmentBytes = SEGMENT_BYTES } = options
  const isEphemeral = options.path === undefined
  const path = options.path ?? (await mkdtemp(join(tmpdir(), 'tickertape-')))
  const sync = !isEphemeral
  await makeDirectory(path)
  const lock = await lockDirectory(path, LOCK_NAME)
  let store: KeyValueStore<TableName> | undefined
  try {
    store = await openChainDatabase({ path, identity: options.identity, sync })
    const directory = join(path, RECORDS_DIRECTORY)
    const log = await openSegmentLog({ directory, segmentBytes, sync }, { fileSystem: disk })
    return { path, store, log, close: () => closeAll({ path, store: store!, log, lock, isEphemeral }) }
  } catch (error) {
    await store?.close()
    await lock.release()
    throw error
  }
}

async function closeAll(open: {
  readonly path: string
  readonly store: KeyValueStore<TableName>
  readonly log: SegmentLog
  readonly lock: DirectoryLock
  readonly isEphemeral: boolean
}): Promise<void> {
  await open.log.close()
  await open.store.close()
  await open.lock.release()
  if (open.isEphemeral) await rm(open.path, { recursive: true, force: true })
}

/** The unit of `Stats.blocks` (POSIX), on every file system. */
const STAT_BLOCK_BYTES = 512

/** Size of a directory's files on disk, without the holes of sparse files. */
export async function diskBytes(path: string): Promise<number> {
  const entries = await readdir(path, { recursive: true, withFileTypes: true }).catch(() => [])
  const files = entries.filter((entry) => entry.isFile()).map((entry) => join(entry.parentPath, entry.name))
  // Files of the record log may be removed meanwhile.
  const sizes = await Promise.all(
    files.map((file) =>
      stat(file).then(
        ({ blocks }) => blocks * STAT_BLOCK_BYTES,
        () => 0,
      ),
    ),
  )
  return sizes.reduce((sum, size) => sum + size, 0)
}
