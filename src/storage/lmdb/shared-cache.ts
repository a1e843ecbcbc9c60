import { mkdirSync, readdirSync, rmSync, utimesSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { crc32 } from 'node:zlib'
import { type Database, open, type RootDatabase } from 'lmdb'
import type { Bytes } from '../../primitives/hex.ts'
import { type ByteCache, keyText } from '../byte-cache.ts'
import { PRIVATE_DIRECTORY, PRIVATE_FILE } from '../disk.ts'
import { DATA_FILE } from '../pages/page-file.ts'
import { StorageError } from '../storage-error.ts'
import { checkDatabaseFile } from './lmdb-file.ts'

export interface SharedCacheOptions {
  /** The directory; created if necessary. */
  readonly path: string
  /** Maximum size of the values on disk, roughly. */
  readonly maxBytes: number
  /** Form of keys and values: a cache of another form is emptied. */
  readonly version: string
}

/** A file with this name and a process id says that the process has the cache open. */
const USER = 'user-'

type Table = Database<Uint8Array, Uint8Array>
type Root = RootDatabase<Uint8Array, Uint8Array>

/** The types of lmdb lack the mode of its files. */
const FILES = { encoding: 'binary', keyEncoding: 'binary', permissionsMode: PRIVATE_FILE } as const
const CHECKSUM_BYTES = 4
/** The size is compared with its bound each time this many bytes were written. */
const CHECK_BYTES = 2 ** 20
/** Address space for the file, above the values: free pages, and those of readers. */
const MAP_MARGIN = 2 ** 30
const YOUNG = Buffer.from('young')
const VERSION = Buffer.from('version')

/**
 * A cache on disk for several processes at once, which all may write. There are two generations: new values go to the
 * young one, a value that is read in the old one moves to the young one, and when the young one has half of the
 * permitted size, the old one is dropped and they change roles. Values that were not used for long go first, without a
 * list of uses.
 *
 * Each value has a checksum: a damaged one counts as missing. A file that is not a database is replaced.
 */
export class SharedCache implements ByteCache {
  readonly #path: string
  readonly #maxBytes: number
  readonly #root: Root
  readonly #meta: Table
  readonly #generations: readonly [Table, Table]
  /** Values that are not committed yet. */
  readonly #pending = new Map<string, Bytes>()
  #unchecked = 0
  /** Set when the disk refuses to write: the cache goes on in memory. */
  #isReadOnly = false

  /** @throws StorageError or the error of the operating system when the directory cannot be used */
  constructor({ path, maxBytes, version }: SharedCacheOptions) {
    this.#path = path
    this.#maxBytes = maxBytes
    removeDamaged(path)
    // Before the files: another process removes a directory that no process has open.
    mkdirSync(path, { recursive: true, mode: PRIVATE_DIRECTORY })
    markUsed(path)
    this.#root = open<Uint8Array, Uint8Array>(path, {
      ...FILES,
      noSubdir: false,
      maxDbs: 4,
      mapSize: 2 * maxBytes + MAP_MARGIN,
    })
    const table = (name: string) => this.#root.openDB<Uint8Array, Uint8Array>({ ...FILES, name })
    this.#meta = table('meta')
    this.#generations = [table('values 0'), table('values 1')]
    this.#adopt(version)
    // Unused caches go first, and reading does not change a file.
    utimesSync(join(path, DATA_FILE), new Date(), new Date())
  }

  get bytes(): number {
    return usedBytes(this.#generations[0]) + usedBytes(this.#generations[1])
  }

  get(key: Bytes): Bytes | undefined {
    const pending = this.#pending.get(keyText(key))
    if (pending !== undefined) return pending
    const young = this.#young
    const found = valueIn(this.#generations[young]!, key)
    if (found !== undefined) return found
    const old = valueIn(this.#generations[1 - young]!, key)
    if (old !== undefined) this.put(key, old)
    return old
  }

  put(key: Bytes, value: Bytes): void {
    const text = keyText(key)
    this.#pending.set(text, value)
    if (this.#isReadOnly) return
    const stored = Buffer.allocUnsafe(CHECKSUM_BYTES + value.length)
    stored.writeUInt32LE(checksum(key, value))
    stored.set(value, CHECKSUM_BYTES)
    const written = () => {
      if (this.#pending.get(text) === value) this.#pending.delete(text)
    }
    this.#generations[this.#young]!.put(key, stored).then(written, (error: unknown) => this.#refused(error))
    this.#unchecked += stored.length
    if (this.#unchecked >= Math.min(CHECK_BYTES, this.#maxBytes / 4)) this.#rotate()
  }

  async flush(): Promise<void> {
    await this.#root.flushed
  }

  /** Neither read nor write afterwards. */
  async close(): Promise<void> {
    // A thread of lmdb may still use the environment for a commit.
    await this.flush()
    await this.#root.close()
    rmSync(userFile(this.#path, process.pid), { force: true })
  }

  get #young(): number {
    return this.#meta.get(YOUNG)?.[0] ?? 0
  }

  #adopt(version: string): void {
    this.#root.transactionSync(() => {
      if (Buffer.from(this.#meta.get(VERSION) ?? []).toString() === version) return
      for (const table of this.#generations) table.clearSync()
      this.#meta.putSync(VERSION, Buffer.from(version))
    })
  }

  #rotate(): void {
    this.#unchecked = 0
    this.#root.transactionSync(() => {
      const young = this.#young
      if (usedBytes(this.#generations[young]!) <= this.#maxBytes / 2) return
      this.#generations[1 - young]!.clearSync()
      this.#meta.putSync(YOUNG, Buffer.from([1 - young]))
    })
  }

  #refused(error: unknown): void {
    this.#isReadOnly = true
    // lmdb rejects with an error that refers to a second promise, which rejects with the reason.
    if (error instanceof Error && 'commitError' in error) void Promise.resolve(error.commitError).catch(() => {})
  }
}

/** Whether a process of this machine has the cache in a directory open. */
export function isInUse(path: string): boolean {
  return namesIn(path).some((name) => name.startsWith(USER) && isRunning(Number(name.slice(USER.length))))
}

/** Names in a directory; none when it is not there: another process may have removed it. */
export function namesIn(path: string): readonly string[] {
  try {
    return readdirSync(path)
  } catch {
    return []
  }
}

function markUsed(path: string): void {
  try {
    writeFileSync(userFile(path, process.pid), '', { mode: PRIVATE_FILE })
  } catch {
    // A full disk: should another process remove the cache, its values are read again.
  }
}

function userFile(path: string, pid: number): string {
  return join(path, `${USER}${pid}`)
}

function isRunning(pid: number): boolean {
  try {
    process.kill(pid, 0)
    return true
  } catch (error) {
    // The process of another user.
    return (error as NodeJS.ErrnoException).code === 'EPERM'
  }
}

function removeDamaged(path: string): void {
  try {
    checkDatabaseFile(path)
  } catch (error) {
    if (!(error instanceof StorageError)) throw error
    rmSync(path, { recursive: true, force: true })
  }
}

function valueIn(table: Table, key: Bytes): Bytes | undefined {
  const stored = table.get(key) as Buffer | undefined
  if (stored === undefined || stored.length < CHECKSUM_BYTES) return undefined
  const value = stored.subarray(CHECKSUM_BYTES)
  return stored.readUInt32LE() === checksum(key, value) ? value : undefined
}

/** Of key and value: a value under another key is damage too. */
function checksum(key: Bytes, value: Bytes): number {
  return crc32(value, crc32(key))
}

function usedBytes(table: Table): number {
  const { pageSize, treeBranchPageCount, treeLeafPageCount, overflowPages } = table.getStats() as Pages
  return pageSize * (treeBranchPageCount + treeLeafPageCount + overflowPages)
}

/** Part of the result of `getStats`, which lmdb does not type. */
interface Pages {
  readonly pageSize: number
  readonly treeBranchPageCount: number
  readonly treeLeafPageCount: number
  readonly overflowPages: number
}
