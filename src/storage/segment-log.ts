import type { Bytes } from '../primitives/hex.ts'
import type { AppendableFile, FileSystem } from './file-system.ts'
import { listSegments, type Segment, segmentPath } from './segment-file.ts'
import { encodeFrame, type LogRecord, MAXIMUM_PAYLOAD_BYTES } from './segment-frame.ts'
import { SegmentIndex } from './segment-index.ts'
import { findRecord, findSegmentEnd, openSegmentReader, type SegmentReader } from './segment-reader.ts'
import { isReadOnlyError, readOnlyError, StorageError, systemErrorCode } from './storage-error.ts'

export interface SegmentLogOptions {
  readonly directory: string
  /** Maximum size of a file in bytes. Default: 64 MiB. A larger record gets its own file. */
  readonly segmentBytes?: number
  /** Sequence number of the first record of a new log. Default: 1. */
  readonly firstSequence?: number
  /** Whether `sync` waits for the disk. Default: true. False for a temporary directory. */
  readonly sync?: boolean
}

/**
 * Opens a log for writing; there must be at most one writer. A torn tail, which was never acknowledged, is truncated.
 * The rest is synced, so that records read at start cannot be lost later. Older files are checked when they are read.
 *
 * @throws StorageError `LOG_CORRUPT` when the newest file is damaged before its tail, `READ_ONLY`
 * @example const log = await openSegmentLog({ directory }, { fileSystem: disk }); log.append(record); await log.sync()
 */
export async function openSegmentLog(
  options: SegmentLogOptions,
  deps: { readonly fileSystem: FileSystem },
): Promise<SegmentLog> {
  const { fileSystem } = deps
  try {
    await fileSystem.makeDirectory(options.directory)
    const newest = listSegments(fileSystem, options.directory).at(-1)
    if (newest === undefined) return new SegmentLog(options, { fileSystem, newest: undefined })
    const { nextSequence, size, tornBytes } = findSegmentEnd(fileSystem, newest)
    const file = await fileSystem.openForAppend(newest.path, isSynced(options))
    try {
      if (tornBytes > 0) await file.truncate(size)
      await file.sync()
      await fileSystem.syncDirectory(options.directory)
    } catch (error) {
      await file.close()
      throw error
    }
    return new SegmentLog(options, { fileSystem, newest: { path: newest.path, file, size, nextSequence } })
  } catch (error) {
    throw isReadOnlyError(error) ? readOnlyError(options.directory, error) : error
  }
}

function isSynced({ sync = true }: SegmentLogOptions): boolean {
  return sync
}

interface OpenSegment {
  readonly path: string
  readonly file: AppendableFile
  size: number
}

interface SegmentLogDeps {
  readonly fileSystem: FileSystem
  readonly newest: (OpenSegment & { readonly nextSequence: number }) | undefined
}

interface Flush {
  /** The last record that it makes durable. */
  readonly through: number
  readonly done: Promise<void>
}

/** An append-only log of numbered records in segment files of bounded size. */
export class SegmentLog {
  readonly #directory: string
  readonly #segmentBytes: number
  readonly #isSynced: boolean
  readonly #fileSystem: FileSystem
  #index = new SegmentIndex()
  #reader: SegmentReader
  #segment: OpenSegment | undefined
  #buffered: { readonly sequence: number; readonly frame: Bytes }[] = []
  #last: number
  #durable: number
  #running: Flush | undefined
  #next: Promise<void> | undefined
  #failure: StorageError | undefined

  constructor(options: SegmentLogOptions, deps: SegmentLogDeps) {
    this.#directory = options.directory
    this.#segmentBytes = options.segmentBytes ?? 64 * 2 ** 20
    this.#isSynced = isSynced(options)
    this.#fileSystem = deps.fileSystem
    this.#reader = this.newReader()
    this.#segment = deps.newest
    this.#last = (deps.newest?.nextSequence ?? options.firstSequence ?? 1) - 1
    this.#durable = this.#last
  }

  /** The last appended record; one less than the first number in an empty log. */
  get lastSequence(): number {
    return this.#last
  }

  /** The last durable record. */
  get durableSequence(): number {
    return this.#durable
  }

  /** The oldest retained record; `undefined` if no file holds any. */
  get firstSequence(): number | undefined {
    return this.#reader.first()
  }

  /** The first record of each file, oldest first: points at which reading can start cheaply. */
  fileStarts(): readonly number[] {
    return listSegments(this.#fileSystem, this.#directory).map(({ first }) => first)
  }

  /**
   * Assigns a sequence number to a record and buffers a copy, which `sync` writes.
   *
   * @throws StorageError `LOG_FAILED` after a failed write, `RECORD_TOO_LARGE` above 2^30 bytes
   */
  append(payload: Bytes): number {
    if (this.#failure !== undefined) throw this.#failure
    if (payload.length > MAXIMUM_PAYLOAD_BYTES) {
      throw new StorageError('RECORD_TOO_LARGE', `a record has at most 2^30 bytes, got ${payload.length}`)
    }
    const sequence = this.#last + 1
    this.#buffered.push({ sequence, frame: encodeFrame({ sequence, payload }) })
    this.#last = sequence
    return sequence
  }

  /**
   * Resolves when every record appended so far is durable. Group commit: calls during a sync share the next one, which
   * starts when the running one ends, without a timer.
   *
   * @throws StorageError `LOG_FAILED` when the disk is full or broken; the log then rejects everything
   */
  async sync(): Promise<void> {
    if (this.#failure !== undefined) throw this.#failure
    if (this.#durable >= this.#last) return
    if (this.#running === undefined) return this.#start()
    if (this.#running.through >= this.#last) return this.#running.done
    this.#next ??= this.#running.done.then(() => {
      this.#next = undefined
      return this.sync()
    })
    return this.#next
  }

  /** The records from `from` to `to` that are durable at the call. Throws like SegmentReader. */
  read(from: number, to = Number.MAX_SAFE_INTEGER): Iterable<LogRecord> {
    return this.#reader.read(from, Math.min(to, this.#durable))
  }

  /** A reader with its own position; it sees the content of the files, synced or not. */
  newReader(): SegmentReader {
    return openSegmentReader({ directory: this.#directory }, { fileSystem: this.#fileSystem, positions: this.#index })
  }

  /**
   * Deletes the files whose records are all below `sequence`, except the newest ones with `keptBytes` in total. The
   * newest file always stays, so that numbering continues.
   */
  async removeBefore(sequence: number, keptBytes = 0): Promise<void> {
    if (this.#failure !== undefined) throw this.#failure
    const segments = listSegments(this.#fileSystem, this.#directory)
    const sizes = segments.map(({ path }) => this.#fileSystem.size(path))
    let newer = sizes.reduce((sum, size) => sum + size, 0)
    for (const [index, { path }] of segments.entries()) {
      const next = segments[index + 1]
      newer -= sizes[index]!
      // A file is deleted only if its successor is durable.
      if (next === undefined || next.first > Math.min(sequence, this.#durable) || newer < keptBytes) return
      await this.#remove(path)
    }
  }

  /**
   * Discards every record: the next one gets number `first`, and later readers find nothing before it. No append or
   * sync may be running.
   *
   * @throws StorageError `LOG_FAILED`; the log then rejects everything
   */
  async reset(first: number): Promise<void> {
    if (this.#failure !== undefined) throw this.#failure
    await this.#beginAnew(first).catch((error: unknown) => {
      throw this.#fail(error)
    })
  }

  async #beginAnew(first: number): Promise<void> {
    await this.#segment?.file.close()
    this.#segment = undefined
    this.#buffered = []
    for (const { path } of listSegments(this.#fileSystem, this.#directory)) await this.#remove(path)
    this.#readAnew()
    this.#last = first - 1
    this.#durable = this.#last
    // An empty file preserves the number across a restart.
    await this.#begin(first)
    if (this.#isSynced) await this.#fileSystem.syncDirectory(this.#directory)
  }

  /**
   * Discards the records after `sequence`, newest first. No append or sync may be running, and readers beyond it must
   * not be used any more.
   *
   * @throws StorageError `LOG_FAILED`; the log then rejects everything
   */
  async removeAfter(sequence: number): Promise<void> {
    if (this.#failure !== undefined) throw this.#failure
    if (sequence >= this.#last) return
    const segments = listSegments(this.#fileSystem, this.#directory)
    const newest = segments.findLast(({ first }) => first <= sequence)
    if (newest === undefined) return this.reset(sequence + 1)
    // Before anything is removed: a damaged file leaves the log as it is.
    const size = findRecord(this.#fileSystem, newest, sequence + 1)
    const surplus = segments.filter(({ first }) => first > sequence).reverse()
    // Later appends would leave a gap behind records that are removed already.
    await this.#truncateAfter(sequence, { newest, size, surplus }).catch((error: unknown) => {
      throw this.#fail(error)
    })
  }

  async #truncateAfter(
    sequence: number,
    {
      newest,
      size,
      surplus,
    }: { readonly newest: Segment; readonly size: number; readonly surplus: readonly Segment[] },
  ): Promise<void> {
    this.#durable = Math.min(this.#durable, sequence)
    await this.#segment?.file.close()
    this.#segment = undefined
    this.#buffered = []
    for (const { path } of surplus) await this.#remove(path)
    const file = await this.#fileSystem.openForAppend(newest.path, this.#isSynced)
    this.#segment = { path: newest.path, file, size }
    await file.truncate(size)
    if (this.#isSynced) await file.sync()
    this.#index.truncateAfter(sequence)
    this.#readAnew()
    this.#last = sequence
    this.#durable = sequence
  }

  /** Syncs the buffer; later calls are rejected. */
  async close(): Promise<void> {
    try {
      if (this.#failure === undefined) await this.sync()
    } finally {
      this.#failure ??= new StorageError('LOG_FAILED', `the log in ${this.#directory} is closed`, {
        path: this.#directory,
      })
      await this.#segment?.file.close()
      this.#segment = undefined
    }
  }

  #start(): Promise<void> {
    const done = this.#flush()
    this.#running = { through: this.#last, done }
    return done
  }

  async #flush(): Promise<void> {
    const taken = this.#buffered
    this.#buffered = []
    try {
      for (let index = 0; index < taken.length; ) index = await this.#writeRun(taken, index)
    } catch (error) {
      throw this.#fail(error)
    }
    this.#durable = taken.at(-1)?.sequence ?? this.#durable
    this.#running = undefined
  }

  /** Writes and syncs the frames from `start` that fit into one file; returns the index behind them. */
  async #writeRun(
    taken: readonly { readonly sequence: number; readonly frame: Bytes }[],
    start: number,
  ): Promise<number> {
    const first = taken[start]!
    const isFull = this.#segment !== undefined && this.#segment.size + first.frame.length > this.#segmentBytes
    const isNew = this.#segment === undefined || (isFull && this.#segment.size > 0)
    if (isNew) await this.#begin(first.sequence)
    const segment = this.#segment!
    let { size } = segment
    let end = start
    do {
      this.#index.note(segment, { sequence: taken[end]!.sequence, offset: size })
      size += taken[end]!.frame.length
      end += 1
    } while (end < taken.length && size + taken[end]!.frame.length <= this.#segmentBytes)
    const frames = taken.slice(start, end).map(({ frame }) => frame)
    await segment.file.append(frames.length === 1 ? frames[0]! : Buffer.concat(frames))
    segment.size = size
    if (isNew && this.#isSynced) await this.#fileSystem.syncDirectory(this.#directory)
    return end
  }

  /** One by one: two names restored by a power loss could leave a gap between them. */
  async #remove(path: string): Promise<void> {
    this.#index.forget({ path })
    await this.#fileSystem.remove(path)
    if (this.#isSynced) await this.#fileSystem.syncDirectory(this.#directory)
  }

  /** Other records will get these offsets. */
  #readAnew(): void {
    this.#index = new SegmentIndex()
    this.#reader = this.newReader()
  }

  /** The previous file is fully synced by then: only the newest can have a torn tail. */
  async #begin(sequence: number): Promise<void> {
    const before = this.#segment
    const { path }: Segment = { path: segmentPath(this.#directory, sequence), first: sequence }
    this.#segment = { path, file: await this.#fileSystem.openForAppend(path, this.#isSynced), size: 0 }
    await before?.file.close()
  }

  #fail(cause: unknown): StorageError {
    const reason = systemErrorCode(cause) === 'ENOSPC' ? 'the disk is full' : String((cause as Error).message ?? cause)
    this.#failure = new StorageError(
      'LOG_FAILED',
      `writing to ${this.#directory} failed (${reason}): nothing more is accepted; make room on the disk or repair it, then start again`,
      { path: this.#directory, cause },
    )
    return this.#failure
  }
}
