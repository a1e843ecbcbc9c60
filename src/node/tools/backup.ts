import { existsSync } from 'node:fs'
import { rename, rm, rmdir } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { CHAIN_TABLES } from '../../state/chain-store/encoding/tables.ts'
import {
  type ChainDatabase,
  LOCK_NAME,
  openChainDatabase,
  RECORDS_DIRECTORY,
} from '../../state/chain-store/open-chain-database.ts'
import { replacedChains } from '../../state/chain-store/transfer/chain-transfer.ts'
import { lockDirectory } from '../../storage/directory-lock.ts'
import { disk } from '../../storage/disk.ts'
import { withSnapshot } from '../../storage/key-value.ts'
import { copyLmdbStore } from '../../storage/lmdb/lmdb-copy.ts'
import { openLmdbStore } from '../../storage/lmdb/lmdb-store.ts'
import { openSegmentLog, type SegmentLog } from '../../storage/segment-log.ts'
import { openSegmentReader, type SegmentReader } from '../../storage/segment-reader.ts'
import { StorageError } from '../../storage/storage-error.ts'
import { diskBytes } from '../core/data-directory.ts'
import { buildGenesis } from '../core/genesis-chain.ts'
import { copyFolders } from './backup-folders.ts'
import { addGeneration, completeGenerations, type Generation, newestGeneration } from './backup-generations.ts'
import { checkRecords, continuityOf } from './backup-history.ts'
import type { Step } from './long-work.ts'
import type { ChainLocation } from './stored-chain.ts'
import { verifyChain } from './verify-chain.ts'
import { differenceText } from './verify-difference.ts'

interface CopyOptions {
  /** Folders of the data directory that are copied beside the chain. Default: none. */
  readonly folders?: readonly string[]
}

export interface BackupOptions extends CopyOptions {
  /** Makes a new generation, also where appending records to the newest one would do. Default: false. */
  readonly full?: boolean
  /** Generations of a history that stay. Default: 2. */
  readonly keep?: number
  /** Accepts a chain that does not continue the newest generation, which then stays for good. Default: false. */
  readonly newHistory?: boolean
}

export interface RestoreOptions extends CopyOptions {
  /** Whether all blocks of the copy are executed again before it takes its place. Default: true. */
  readonly verify?: boolean
}

export interface BackupResult {
  /** `incremental`: only new records were appended to the newest generation. */
  readonly kind: 'full' | 'incremental'
  readonly path: string
  /** Records copied by this call. */
  readonly records: number
  /** The newest record in the backup; 0 if there is none. */
  readonly lastRecord: number
}

/**
 * A generation whose log is larger than this is followed by a new one: a restored node replays the log at its first
 * start.
 */
const MAX_LOG_BYTES = 256 * 2 ** 20
/** Copies that a node may spoil by replacing its chain meanwhile, and milliseconds between them. */
const COPY_ATTEMPTS = 20
const COPY_RETRY_MS = 250
/** How often records are copied while the database is: sooner than the node removes those that it no longer needs. */
const COPY_INTERVAL_MS = 200
const SEGMENT_BYTES = 8 * 2 ** 20

/**
 * Copies a chain into a backup directory, also while a node writes it. A generation is what a crash at that moment
 * would have left: a database as of one commit, and the records before and after it.
 *
 * @throws StorageError `DATABASE_MISSING`, `OTHER_CHAIN`, `OTHER_HISTORY`, `DIRECTORY_IN_USE` (another backup is
 *   running), `RECORDS_REMOVED` (the node removed records faster than they were copied), `LOG_CORRUPT`, `READ_ONLY`,
 *   `COPY_FAILED` (a replica replaced its chain meanwhile)
 */
export async function backUp(
  location: ChainLocation,
  directory: string,
  { full = false, keep = 2, newHistory = false, folders = [] }: BackupOptions,
  step: Step,
): Promise<BackupResult> {
  await checkSource(location)
  await disk.makeDirectory(directory)
  const lock = await lockDirectory(directory, LOCK_NAME)
  try {
    const newest = completeGenerations(directory).at(-1)
    const continuity = newest && (await continuityOf(location, newest))
    if (continuity?.kind === 'none' && !newHistory) throw otherHistory(location, newest!, continuity.reason)
    if (continuity?.kind === 'records' && !full) {
      const incremental = await appendRecords(location, newest!, step)
      if (incremental !== undefined) {
        await copyFolders(location.directory, newest!.path, folders)
        return incremental
      }
    }
    const history = (newest?.history ?? 1) + (continuity?.kind === 'none' ? 1 : 0)
    let copied: CopiedRecords = { records: 0, lastRecord: 0 }
    const { path } = await addGeneration(directory, { history, keep }, async (partial) => {
      copied = await copyChain(location.directory, partial, step)
      await copyFolders(location.directory, partial, folders)
    })
    return { kind: 'full', path, ...copied }
  } finally {
    await lock.release()
  }
}

function otherHistory({ directory }: ChainLocation, { path }: Generation, reason: string): StorageError {
  const message =
    `${directory} does not continue the newest backup, ${path} (${reason}). Nothing was changed. If the data directory ` +
    'was lost, restore that backup; otherwise name another backup directory, or give --new-history, which keeps ' +
    'the generations of the earlier history'
  return new StorageError('OTHER_HISTORY', message, { path })
}

/**
 * Copies a generation of a backup into a data directory, which must not exist or be empty, and verifies the copy before
 * it takes its place.
 *
 * @param directory a backup directory, whose newest generation is copied, or one of its generations
 * @throws StorageError `NO_BACKUP`, `NOT_OUR_DIRECTORY` when the data directory has content, `OTHER_CHAIN`,
 *   `LOG_CORRUPT`, `STORE_DAMAGED` when the copy does not verify
 */
export async function restoreBackup(
  location: ChainLocation,
  directory: string,
  { verify = true, folders = [] }: RestoreOptions,
  step: Step,
): Promise<BackupResult> {
  const path = newestGeneration(directory)
  if (path === undefined) {
    throw new StorageError('NO_BACKUP', `there is no complete backup in ${directory}: name a directory of \`backup\``, {
      path: directory,
    })
  }
  const target = location.directory
  if (disk.list(target).length > 0) {
    const message = `${target} is not empty: remove it first, or choose another --datadir`
    throw new StorageError('NOT_OUR_DIRECTORY', message, { path: target })
  }
  await checkSource({ ...location, directory: path })
  const partial = `${target}.restoring`
  await rm(partial, { recursive: true, force: true })
  await disk.makeDirectory(partial)
  const records = await copyChain(path, partial, step)
  await copyFolders(path, partial, folders)
  if (verify) await verifyCopy({ ...location, directory: partial }, path, step)
  if (existsSync(target)) await rmdir(target)
  await rename(partial, target)
  await disk.syncDirectory(dirname(target))
  return { kind: 'full', path, ...records }
}

async function verifyCopy(copy: ChainLocation, generation: string, step: Step): Promise<void> {
  const verification = await verifyChain(copy, step).catch((error: unknown) => {
    if (!(error instanceof StorageError) || error.code !== 'PARTIAL_CHAIN') throw error
    return undefined
  })
  // Blocks before the snapshot of a replica cannot be executed: only pages and records are checked.
  if (verification === undefined) return checkRecords(copy)
  if (verification.kind === 'sound') return
  const [difference] = verification.kind === 'damaged' ? verification.damage : [verification.difference]
  await rm(copy.directory, { recursive: true, force: true })
  const message =
    `${generation} does not verify (${differenceText(difference!)}). Nothing was restored: name an older generation ` +
    '(backup-N), or copy it anyway with --no-verify'
  throw new StorageError('STORE_DAMAGED', message, { path: generation })
}

/** Checks that a directory holds a database of the chain. */
async function checkSource({ directory, genesis }: ChainLocation): Promise<void> {
  const identity = { chainId: genesis.config.chainId, genesisHash: buildGenesis(genesis).block.hash }
  if (!existsSync(directory)) {
    const message = `there is no chain in ${directory}: name another with --datadir`
    throw new StorageError('DATABASE_MISSING', message, { path: directory })
  }
  await (await openChainDatabase({ path: directory, identity, readOnly: true })).close()
}

function readerOf(directory: string): SegmentReader {
  return openSegmentReader({ directory: join(directory, RECORDS_DIRECTORY) }, { fileSystem: disk })
}

interface CopiedRecords {
  readonly records: number
  readonly lastRecord: number
}

/** Returns `undefined` if the generation is too large to be continued. */
async function appendRecords(
  { directory }: ChainLocation,
  { path }: Generation,
  step: Step,
): Promise<BackupResult | undefined> {
  const records = join(path, RECORDS_DIRECTORY)
  if ((await diskBytes(records)) > MAX_LOG_BYTES) return undefined
  const log = await openSegmentLog({ directory: records, segmentBytes: SEGMENT_BYTES }, { fileSystem: disk })
  const watch = ReplacementWatch.open(directory)
  try {
    const copier = new RecordCopier(readerOf(directory), { log, watch })
    await copier.copyNew(step)
    return { kind: 'incremental', path, records: copier.copied, lastRecord: log.lastSequence }
  } finally {
    await watch.close()
    await log.close()
  }
}

/**
 * Copies a database and its records. Records are copied before, during and after the database: the copy then has
 * those which its database lacks, also if the node removes them meanwhile.
 */
async function copyChain(from: string, to: string, step: Step): Promise<CopiedRecords> {
  for (let attempt = 1; ; attempt++) {
    const watch = ReplacementWatch.open(from)
    try {
      return await copyWatched(from, to, watch, step)
    } catch (error) {
      // The records disappear when the chain is replaced.
      if (attempt === COPY_ATTEMPTS || watch.isSame) throw error
    } finally {
      await watch.close()
    }
    for (const name of disk.list(to)) await rm(join(to, name), { recursive: true })
    await delay(COPY_RETRY_MS)
  }
}

async function copyWatched(from: string, to: string, watch: ReplacementWatch, step: Step): Promise<CopiedRecords> {
  const source = readerOf(from)
  const directory = join(to, RECORDS_DIRECTORY)
  const firstSequence = source.first() ?? 1
  const log = await openSegmentLog({ directory, firstSequence, segmentBytes: SEGMENT_BYTES }, { fileSystem: disk })
  try {
    const copier = new RecordCopier(source, { log, watch })
    await copier.copyNew(step)
    let isCopied = false
    const copying = copyLmdbStore(from, to).finally(() => {
      isCopied = true
    })
    while (!isCopied) {
      await Promise.race([copying, delay(COPY_INTERVAL_MS)])
      await copier.copyNew(step)
    }
    await copying
    await copier.copyNew(step)
    watch.assertSame()
    return { records: copier.copied, lastRecord: log.lastSequence }
  } finally {
    await log.close()
  }
}

/** Notices when the node of a directory replaces its chain, which it does before the records. */
class ReplacementWatch {
  readonly #path: string
  readonly #store: ChainDatabase
  readonly #begun: number | undefined

  private constructor(path: string, store: ChainDatabase) {
    this.#path = path
    this.#store = store
    this.#begun = withSnapshot(store, replacedChains)
  }

  static open(path: string): ReplacementWatch {
    return new ReplacementWatch(path, openLmdbStore({ path, ...CHAIN_TABLES, readOnly: true }))
  }

  /** Whether all that was read since `open` belongs to one chain. */
  get isSame(): boolean {
    return this.#begun !== undefined && withSnapshot(this.#store, replacedChains) === this.#begun
  }

  /** @throws StorageError `COPY_FAILED` */
  assertSame(): void {
    if (this.isSame) return
    const message = `${this.#path} began to hold another chain while it was copied: run the command again`
    throw new StorageError('COPY_FAILED', message, { path: this.#path })
  }

  close(): Promise<void> {
    return this.#store.close()
  }
}

/** Appends the records of one log to another, under the same sequence numbers. */
class RecordCopier {
  readonly #source: SegmentReader
  readonly #log: SegmentLog
  readonly #watch: ReplacementWatch
  #copied = 0

  constructor(source: SegmentReader, { log, watch }: { readonly log: SegmentLog; readonly watch: ReplacementWatch }) {
    this.#source = source
    this.#log = log
    this.#watch = watch
  }

  get copied(): number {
    return this.#copied
  }

  /** Resolves when everything appended to the source before the call is durable in the copy. */
  async copyNew(step: Step): Promise<void> {
    let unsynced = 0
    for (const { sequence, payload } of this.#source.read(this.#log.lastSequence + 1)) {
      // A replica that took over another chain numbers its records anew.
      this.#watch.assertSame()
      this.#log.append(payload)
      this.#copied++
      unsynced += payload.length
      if (unsynced < SEGMENT_BYTES) continue
      unsynced = 0
      await this.#log.sync()
      await step({ task: 'records', at: sequence })
    }
    await this.#log.sync()
  }
}
