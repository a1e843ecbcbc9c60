import { closeSync, fstatSync, openSync, readSync } from 'node:fs'
import { join } from 'node:path'
import { decodeMeta, META_PAGES, type Meta } from './page-format.ts'

export const DATA_FILE = 'data.mdb'

const SMALLEST_PAGE = 4096

/** The pages of a database file, read without LMDB: a damaged page must not reach a memory map. */
export class PageFile {
  readonly path: string
  readonly pageSize: number
  readonly #descriptor: number

  constructor(directory: string, { pageSize }: { readonly pageSize: number }) {
    this.path = join(directory, DATA_FILE)
    this.pageSize = pageSize
    this.#descriptor = openSync(this.path, 'r')
  }

  /** For a database whose page size is known only by its meta page. @returns `undefined` if there is none */
  static open(directory: string): PageFile | undefined {
    const probe = new PageFile(directory, { pageSize: SMALLEST_PAGE })
    try {
      const meta = probe.metaAt(0)
      return meta && new PageFile(directory, meta)
    } finally {
      probe.close()
    }
  }

  get bytes(): number {
    return fstatSync(this.#descriptor).size
  }

  /** Whole pages in the file. */
  get pages(): number {
    return Math.floor(this.bytes / this.pageSize)
  }

  /** Reads consecutive pages; fewer bytes at the end of the file. */
  read(first: number, count = 1): Buffer {
    const bytes = Buffer.allocUnsafeSlow(count * this.pageSize)
    return bytes.subarray(0, this.readInto(bytes, first))
  }

  /** Fills a buffer from a page on. @returns the number of bytes, fewer at the end of the file */
  readInto(bytes: Buffer, first: number): number {
    let filled = 0
    while (filled < bytes.length) {
      const position = first * this.pageSize + filled
      // A page number of a damaged page may be beyond every file.
      if (!Number.isSafeInteger(position)) break
      const count = readSync(this.#descriptor, bytes, filled, bytes.length - filled, position)
      if (count === 0) break
      filled += count
    }
    return filled
  }

  /** The newest of the two meta pages; `undefined` if none is readable. */
  newestMeta(): Meta | undefined {
    let newest: Meta | undefined
    for (let page = 0; page < META_PAGES; page++) {
      const meta = this.metaAt(page)
      if (meta !== undefined && (newest === undefined || meta.transaction > newest.transaction)) newest = meta
    }
    return newest
  }

  metaAt(page: number): Meta | undefined {
    return decodeMeta(this.read(page))
  }

  /** The state after one of the last two transactions. @throws Error if it is older */
  metaOf(transaction: number): Meta {
    const meta = this.metaAt(transaction % META_PAGES)
    if (meta?.transaction !== transaction) throw new Error(`transaction ${transaction} is gone from ${this.path}`)
    return meta
  }

  close(): void {
    closeSync(this.#descriptor)
  }
}
