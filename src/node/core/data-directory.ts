import { mkdtemp, readdir, rm, stat } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { TableName } from '../../state/chain-store/encoding/tables.ts'
import {
  type ChainIdentity,
  LOCK_NAME,
  makeDirectory,
  openChainDatabase,
  RECORDS_DIRECTORY,
} from '../../state/chain-store/open-chain-database.ts'
import { dropReplacedRecords } from '../../state/chain-store/transfer/chain-transfer.ts'
import { type DirectoryLock, lockDirectory } from '../../storage/directory-lock.ts'
import { disk } from '../../storage/disk.ts'
import type { KeyValueStore } from '../../storage/key-value.ts'
import { openSegmentLog, type SegmentLog } from '../../storage/segment-log.ts'

/** Files are deleted as a whole, and all retained records are read at startup: small files keep the start short. */
const SEGMENT_BYTES = 8 * 2 ** 20

export interface DataDirectoryOptions {
  /** Directory of one network's chain; `undefined`: a temporary directory, deleted at the end and never synced. */
  readonly path: string | undefined
  readonly identity: ChainIdentity
  /** Bytes per second of a check of the database that repeats. Default: 0, none. */
  readonly scrubBytesPerSecond?: number
  /** Size at which a new record file begins: 8 MiB. */
  readonly segmentBytes?: number
  /** Whether pages have checksums. Default: not in a temporary directory. */
  readonly hasChecksums?: boolean
}

/** The open database and record log of one network, with the lock that makes this process their only writer. */
export interface DataDirectory {
  readonly path: string
  readonly store: KeyValueStore<TableName>
  readonly log: SegmentLog
  close(): Promise<void>
}

/**
 * Opens or creates a data directory.
 *
 * @throws StorageError when it is in use, foreign, newer, damaged or not writable; the message says what to do
 */
export async function openDataDirectory(options: DataDirectoryOptions): Promise<DataDirectory> {
  const { segmentBytes = SEGMENT_BYTES, scrubBytesPerSecond = 0 } = options
  const isEphemeral = options.path === undefined
  const { hasChecksums = !isEphemeral } = options
  const path = options.path ?? (await mkdtemp(join(tmpdir(), 'tickertape-')))
  const sync = !isEphemeral
  await makeDirectory(path)
  const lock = await lockDirectory(path, LOCK_NAME)
  let store: KeyValueStore<TableName> | undefined
  try {
    store = await openChainDatabase({
      path,
      identity: options.identity,
      sync,
      isTemporary: !hasChecksums,
      scrubBytesPerSecond,
    })
    const directory = join(path, RECORDS_DIRECTORY)
    const log = await openSegmentLog({ directory, segmentBytes, sync }, { fileSystem: disk })
    await dropReplacedRecords(store, (first) => log.reset(first))
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

/** Unit of `Stats.blocks` (POSIX), on every file system. */
const STAT_BLOCK_BYTES = 512

/** Disk usage of a directory, without the holes of sparse files. */
export async function diskBytes(path: string): Promise<number> {
  const entries = await readdir(path, { recursive: true, withFileTypes: true }).catch(() => [])
  const files = entries.filter((entry) => entry.isFile()).map((entry) => join(entry.parentPath, entry.name))
  // Record files may be deleted meanwhile.
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
