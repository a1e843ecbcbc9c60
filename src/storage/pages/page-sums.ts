import { closeSync, constants, existsSync, fsyncSync, ftruncateSync, openSync, readFileSync, writeSync } from 'node:fs'
import { open, rename } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { crc32 } from 'node:zlib'
import { disk, PRIVATE_FILE } from '../disk.ts'
import type { AppendableFile } from '../file-system.ts'
import type { PageSumList } from './changed-pages.ts'

export const SUMS_FILE = 'pages.sum'
/** Where a shorter file is prepared. */
export const NEW_SUMS_FILE = 'pages.sum.new'

const MAGIC = Buffer.from('ttsums1\n', 'latin1')
/** Magic, page size (u32), CRC-32 of both. Numbers are little-endian. */
const HEADER_BYTES = MAGIC.length + 8
/** CRC-32 of the rest of the frame (u32), number of entries (u32), transaction (u64). */
const FRAME_HEADER = 16
/** Page number (u32), CRC-32 of the page (u32). */
const ENTRY_BYTES = 8
/** The file is written anew when it has this many entries for each page, and more than a few. */
const ENTRIES_PER_PAGE = 4
const FEW_ENTRIES = 2 ** 15

/**
 * The checksums of the pages of a database, in a file beside it: a log of frames, one for each commit, with the pages
 * that the commit wrote. A frame that a crash cut off, and everything behind a damaged one, is ignored: the checksums
 * are then those of an earlier transaction, which the caller compares with the database.
 *
 * In memory they take 4 bytes per page, a thousandth of the database.
 */
export class PageSums {
  readonly pageSize: number
  readonly #path: string
  #sums = new Uint32Array(1024)
  #transaction = 0
  #end = 0
  /** In the file. */
  #entries = 0
  /** End of the intact frames in the file. */
  #size = HEADER_BYTES
  #file: AppendableFile | undefined

  constructor(directory: string, { pageSize }: { readonly pageSize: number }) {
    this.#path = join(directory, SUMS_FILE)
    this.pageSize = pageSize
  }

  /** @returns `undefined` without a file, or if its header is damaged */
  static read(directory: string): PageSums | undefined {
    const path = join(directory, SUMS_FILE)
    if (!existsSync(path)) return undefined
    const bytes = readFileSync(path)
    const pageSize = pageSizeIn(bytes)
    if (pageSize === undefined) return undefined
    const sums = new PageSums(directory, { pageSize })
    sums.#readFrames(bytes)
    return sums
  }

  /** The transaction that the checksums belong to; 0 if there is none. */
  get transaction(): number {
    return this.#transaction
  }

  /** Highest page with a checksum, plus one. */
  get end(): number {
    return this.#end
  }

  /** CRC-32 of a page; 0 if it was never written. */
  of(page: number): number {
    return this.#sums[page] ?? 0
  }

  /**
   * Notes the pages that a transaction wrote.
   *
   * @param sync whether the frame is on disk when the promise resolves
   */
  async append(transaction: number, list: PageSumList, { sync }: { readonly sync: boolean }): Promise<void> {
    this.#apply(transaction, list)
    const limit = Math.max(FEW_ENTRIES, this.end * ENTRIES_PER_PAGE)
    if (this.#entries > limit) return this.rewrite({ sync })
    this.#file ??= await this.#open(sync)
    const frame = encodeFrame(transaction, list)
    await this.#file.append(frame)
    this.#size += frame.length
  }

  /** Notes pages in memory only. */
  note(transaction: number, list: PageSumList): void {
    for (let index = 0; index < list.length; index += 2) this.#set(list[index]!, list[index + 1]!)
    this.#transaction = transaction
  }

  /** Like `append`, for the time before the database is open; creates the file. */
  appendSync(transaction: number, list: PageSumList, { sync }: { readonly sync: boolean }): void {
    this.#apply(transaction, list)
    const frame = encodeFrame(transaction, list)
    const file = openSync(this.#path, constants.O_CREAT | constants.O_RDWR, PRIVATE_FILE)
    try {
      writeAll(file, encodeHeader(this.pageSize), 0)
      writeAll(file, frame, this.#size)
      this.#size += frame.length
      ftruncateSync(file, this.#size)
      if (sync) fsyncSync(file)
    } finally {
      closeSync(file)
    }
  }

  /** Replaces the file by one with a single frame: a crash leaves the old or the new one. */
  async rewrite({ sync }: { readonly sync: boolean }): Promise<void> {
    const list: PageSumList = []
    const { end } = this
    for (let page = 0; page < end; page++) if (this.#sums[page] !== 0) list.push(page, this.#sums[page]!)
    await this.close()
    const bytes = Buffer.concat([encodeHeader(this.pageSize), encodeFrame(this.#transaction, list)])
    const directory = dirname(this.#path)
    const next = join(directory, NEW_SUMS_FILE)
    const file = await open(next, 'w', PRIVATE_FILE)
    try {
      await file.writeFile(bytes)
      if (sync) await file.sync()
    } finally {
      await file.close()
    }
    await rename(next, this.#path)
    if (sync) await disk.syncDirectory(directory)
    this.#entries = list.length / 2
    this.#size = bytes.length
  }

  async close(): Promise<void> {
    await this.#file?.close()
    this.#file = undefined
  }

  async #open(sync: boolean): Promise<AppendableFile> {
    const file = await disk.openForAppend(this.#path, sync)
    // The rest of a frame that a crash cut off.
    if (disk.size(this.#path) > this.#size) await file.truncate(this.#size)
    return file
  }

  #readFrames(bytes: Buffer): void {
    while (this.#size + FRAME_HEADER <= bytes.length) {
      const count = bytes.readUInt32LE(this.#size + 4)
      const end = this.#size + FRAME_HEADER + count * ENTRY_BYTES
      if (end > bytes.length) return
      if (crc32(bytes.subarray(this.#size + 4, end)) !== bytes.readUInt32LE(this.#size)) return
      for (let at = this.#size + FRAME_HEADER; at < end; at += ENTRY_BYTES) {
        this.#set(bytes.readUInt32LE(at), bytes.readUInt32LE(at + 4))
      }
      this.#transaction = Number(bytes.readBigUInt64LE(this.#size + 8))
      this.#entries += count
      this.#size = end
    }
  }

  #apply(transaction: number, list: PageSumList): void {
    this.note(transaction, list)
    this.#entries += list.length / 2
  }

  #set(page: number, sum: number): void {
    if (page >= this.#sums.length) {
      const larger = new Uint32Array(Math.max(page + 1, this.#sums.length * 2))
      larger.set(this.#sums)
      this.#sums = larger
    }
    this.#sums[page] = sum
    if (page >= this.#end) this.#end = page + 1
  }
}

function pageSizeIn(bytes: Buffer): number | undefined {
  if (bytes.length < HEADER_BYTES || !bytes.subarray(0, MAGIC.length).equals(MAGIC)) return undefined
  const isIntact = crc32(bytes.subarray(0, HEADER_BYTES - 4)) === bytes.readUInt32LE(HEADER_BYTES - 4)
  return isIntact ? bytes.readUInt32LE(MAGIC.length) : undefined
}

function encodeHeader(pageSize: number): Buffer {
  const header = Buffer.alloc(HEADER_BYTES)
  header.set(MAGIC)
  header.writeUInt32LE(pageSize, MAGIC.length)
  header.writeUInt32LE(crc32(header.subarray(0, HEADER_BYTES - 4)), HEADER_BYTES - 4)
  return header
}

function encodeFrame(transaction: number, list: PageSumList): Buffer {
  const frame = Buffer.allocUnsafe(FRAME_HEADER + list.length * 4)
  frame.writeUInt32LE(list.length / 2, 4)
  frame.writeBigUInt64LE(BigInt(transaction), 8)
  for (let index = 0; index < list.length; index++) frame.writeUInt32LE(list[index]!, FRAME_HEADER + index * 4)
  frame.writeUInt32LE(crc32(frame.subarray(4)), 0)
  return frame
}

function writeAll(file: number, bytes: Buffer, position: number): void {
  for (let at = 0; at < bytes.length; ) at += writeSync(file, bytes, at, bytes.length - at, position + at)
}
