import type { FileSystem } from './file-system.ts'
import { BufferedFile, listSegments, readFrame, type Segment } from './segment-file.ts'
import type { LogRecord } from './segment-frame.ts'
import { type RecordOffset, SegmentIndex } from './segment-index.ts'
import { tailVerdict } from './segment-tail.ts'
import { StorageError, systemErrorCode } from './storage-error.ts'

export interface SegmentReader {
  /** The oldest retained record; `undefined` without any segment. */
  first(): number | undefined
  /**
   * The records from `from` to `to`, inclusive. Default: to the end of the log. Stops before a record that is being
   * written; calling it again with the next sequence number continues.
   *
   * @throws StorageError `RECORDS_REMOVED` when `from` is no longer retained, `LOG_CORRUPT`
   */
  read(from: number, to?: number): Iterable<LogRecord>
}

/**
 * Follows a log that this or another thread or process writes. Records become visible as soon as they are in the file,
 * possibly before they are synced: a caller that must not announce them too early passes the last announced sequence
 * number as `to`.
 *
 * @example for (const { sequence, payload } of openSegmentReader({ directory }, { fileSystem: disk }).read(1))
 *   apply(payload)
 */
export function openSegmentReader(
  { directory }: { readonly directory: string },
  deps: {
    readonly fileSystem: FileSystem
    /** A shared index, which this reader uses and extends. */
    readonly positions?: SegmentIndex
  },
): SegmentReader {
  return new ConnectedReader(directory, deps)
}

interface Position extends RecordOffset {
  readonly path: string
}

class ConnectedReader implements SegmentReader {
  readonly #directory: string
  readonly #fileSystem: FileSystem
  readonly #positions: SegmentIndex
  /** Behind the last record read, so that a follower continues without reading the file from its start. */
  #position: Position | undefined

  constructor(directory: string, deps: { readonly fileSystem: FileSystem; readonly positions?: SegmentIndex }) {
    this.#directory = directory
    this.#fileSystem = deps.fileSystem
    this.#positions = deps.positions ?? new SegmentIndex()
  }

  first(): number | undefined {
    return listSegments(this.#fileSystem, this.#directory)[0]?.first
  }

  *read(from: number, to = Number.MAX_SAFE_INTEGER): Generator<LogRecord> {
    const segments = listSegments(this.#fileSystem, this.#directory)
    if (segments.length === 0) return
    const start = segments.findLastIndex(({ first }) => first <= from)
    if (start === -1) throw removed(this.#directory, from)
    for (let index = start; index < segments.length; index += 1) {
      const segment = segments[index]!
      const next = segments[index + 1]
      if (segment.first > to) return
      const end = yield* this.#records(segment, next === undefined, from, to)
      if (end <= to && next !== undefined && next.first !== end) {
        const size = this.#fileSystem.size(segment.path)
        throw corrupt(segment.path, size, `records ${end} to ${next.first - 1} are missing after it`)
      }
    }
  }

  /** Yields the records in range; returns the number behind the last record read. */
  *#records(segment: Segment, isNewest: boolean, from: number, to: number): Generator<LogRecord, number> {
    const file = openSegment(this.#fileSystem, segment)
    try {
      let { sequence, offset } = this.#startIn(segment, from)
      while (sequence <= to) {
        const frame = readFrame(file, offset, sequence)
        if (frame.kind === 'end') return sequence
        if (frame.kind !== 'record') {
          if (isNewest && tailVerdict(file, offset, sequence) === 'torn') return sequence
          throw corrupt(segment.path, offset, frame.kind === 'damaged' ? frame.reason : `record ${sequence} is cut off`)
        }
        this.#positions.note(segment, { sequence, offset })
        offset = frame.end
        sequence += 1
        this.#position = { path: segment.path, sequence, offset }
        if (frame.record.sequence >= from) {
          yield { sequence: frame.record.sequence, payload: Buffer.from(frame.record.payload) }
        }
      }
      return sequence
    } finally {
      file.close()
    }
  }

  #startIn(segment: Segment, from: number): RecordOffset {
    const known = this.#positions.before(segment, from)
    const last = this.#position
    const isNearer = last?.path === segment.path && last.sequence <= from && last.sequence > known.sequence
    return isNearer ? last : known
  }
}

/** The end of the newest segment, where the next record goes. Reads all of it. */
export function findSegmentEnd(
  fileSystem: FileSystem,
  segment: Segment,
): { readonly nextSequence: number; readonly size: number; readonly tornBytes: number } {
  const file = openSegment(fileSystem, segment)
  try {
    let sequence = segment.first
    for (let offset = 0; ; sequence += 1) {
      const frame = readFrame(file, offset, sequence)
      if (frame.kind === 'record') {
        offset = frame.end
        continue
      }
      if (frame.kind === 'damaged' || frame.kind === 'unfinished') {
        if (tailVerdict(file, offset, sequence) === 'corrupt') {
          throw corrupt(segment.path, offset, frame.kind === 'damaged' ? frame.reason : `record ${sequence} is damaged`)
        }
      }
      return { nextSequence: sequence, size: offset, tornBytes: file.size - offset }
    }
  } finally {
    file.close()
  }
}

/** Offset of a record in a segment, in bytes; the end of the segment if it is the next record. */
export function findRecord(fileSystem: FileSystem, segment: Segment, sequence: number): number {
  const file = openSegment(fileSystem, segment)
  try {
    let offset = 0
    for (let number = segment.first; number < sequence; number += 1) {
      const frame = readFrame(file, offset, number)
      if (frame.kind !== 'record') throw corrupt(segment.path, offset, `record ${number} is damaged`)
      offset = frame.end
    }
    return offset
  } finally {
    file.close()
  }
}

function openSegment(fileSystem: FileSystem, segment: Segment): BufferedFile {
  try {
    return new BufferedFile(fileSystem.openForReading(segment.path))
  } catch (error) {
    if (systemErrorCode(error) === 'ENOENT') throw removed(segment.path, segment.first)
    throw error
  }
}

function removed(path: string, sequence: number): StorageError {
  return new StorageError(
    'RECORDS_REMOVED',
    `record ${sequence} is no longer kept: rebuild from the database first, then follow from its newest record`,
    { path },
  )
}

function corrupt(path: string, offset: number, reason: string): StorageError {
  return new StorageError(
    'LOG_CORRUPT',
    `${path} is damaged at byte ${offset}: ${reason}; restore the data directory from a copy, or remove it to begin anew`,
    { path, offset },
  )
}
