import { join } from 'node:path'
import type { Bytes } from '../primitives/hex.ts'
import type { FileSystem, ReadableFile } from './file-system.ts'
import {
  decodeFrameHeader,
  FRAME_HEADER_BYTES,
  isFrameIntact,
  type LogRecord,
  MAXIMUM_PAYLOAD_BYTES,
} from './segment-frame.ts'

/** One file of a log: the records from `first` on. */
export interface Segment {
  readonly path: string
  readonly first: number
}

const NAME = /^(\d{16})\.log$/

export function segmentPath(directory: string, first: number): string {
  return join(directory, `${first.toString().padStart(16, '0')}.log`)
}

/** Oldest first; other files in the directory are ignored. */
export function listSegments(fileSystem: FileSystem, directory: string): readonly Segment[] {
  return fileSystem
    .list(directory)
    .flatMap((name) => {
      const digits = NAME.exec(name)?.[1]
      return digits === undefined ? [] : [{ path: join(directory, name), first: Number(digits) }]
    })
    .sort((one, other) => one.first - other.first)
}

/** Content of a segment at an offset. */
export type Frame =
  | { readonly kind: 'record'; readonly record: LogRecord; readonly end: number }
  | { readonly kind: 'end' }
  /** The file ends inside the frame: torn, being written, or damaged in its length. */
  | { readonly kind: 'unfinished' }
  | { readonly kind: 'damaged'; readonly reason: string }

/** Reads the frame at `offset`, which must be record `expected`. Its payload is valid until the next read. */
export function readFrame(file: BufferedFile, offset: number, expected: number): Frame {
  const head = file.read(offset, FRAME_HEADER_BYTES)
  if (head.length === 0) return { kind: 'end' }
  if (head.length < FRAME_HEADER_BYTES) return { kind: 'unfinished' }
  const { length, checksum, sequence } = decodeFrameHeader(head)
  if (sequence !== expected) return { kind: 'damaged', reason: `record ${expected} expected, found ${sequence}` }
  const size = FRAME_HEADER_BYTES + length
  if (length > MAXIMUM_PAYLOAD_BYTES || offset + size > file.size) return { kind: 'unfinished' }
  const frame = file.read(offset, size)
  // The file may have been truncated between the two reads.
  if (frame.length < size) return { kind: 'unfinished' }
  if (!isFrameIntact(frame, checksum)) return { kind: 'damaged', reason: `the checksum of record ${expected} is wrong` }
  return {
    kind: 'record',
    record: { sequence, payload: frame.subarray(FRAME_HEADER_BYTES) },
    end: offset + size,
  }
}

const WINDOW_BYTES = 256 * 1024

/**
 * Reads ahead, so that small records do not cost a system call each. `size` is that at opening: later bytes are not
 * seen.
 */
export class BufferedFile {
  readonly size: number
  readonly #file: ReadableFile
  #window: Bytes = new Uint8Array(0)
  #start = 0

  constructor(file: ReadableFile) {
    this.#file = file
    this.size = file.size()
  }

  /** Valid until the next read; fewer bytes at the end of the file. */
  read(position: number, length: number): Bytes {
    const wanted = Math.min(length, Math.max(0, this.size - position))
    if (position < this.#start || position + wanted > this.#start + this.#window.length) {
      const ahead = Math.min(Math.max(wanted, WINDOW_BYTES), Math.max(0, this.size - position))
      this.#window = this.#file.read(position, ahead)
      this.#start = position
    }
    return this.#window.subarray(position - this.#start, position - this.#start + wanted)
  }

  close(): void {
    this.#file.close()
  }
}
