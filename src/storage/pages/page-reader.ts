import { crc32 } from 'node:zlib'
import { BoundedCache } from '../../primitives/bounded-cache.ts'
import type { PageFile } from './page-file.ts'
import { META_PAGES, type OverflowRun, PAGE_HEADER } from './page-format.ts'
import type { PageSums } from './page-sums.ts'

/** A page differs from its checksum, or is missing. */
export class DamagedPageError extends Error {
  override readonly name = 'DamagedPageError'
  readonly page: number

  constructor(page: number) {
    super(`page ${page} does not match its checksum`)
    this.page = page
  }
}

/** Decides whether the bytes of a page are those that were written. */
export type PageTest = (page: number, bytes: Buffer) => boolean

export function matchesSum(sums: PageSums): PageTest {
  return (page, bytes) => bytes.length === sums.pageSize && crc32(bytes) === sums.of(page)
}

/** For pages that were all checked: those that are known to be damaged are not read. */
export function isNotIn(damaged: ReadonlySet<number>): PageTest {
  return (page) => !damaged.has(page)
}

const CACHE_BYTES = 8 * 2 ** 20

/** Reads pages and tests each one before it is used. */
export class PageReader {
  readonly file: PageFile
  readonly #test: PageTest
  readonly #cache = new BoundedCache<number, Buffer>({ maxBytes: CACHE_BYTES })

  constructor(file: PageFile, test: PageTest) {
    this.file = file
    this.#test = test
  }

  /** @throws DamagedPageError */
  page(number: number): Buffer {
    const known = this.#cache.get(number)
    if (known !== undefined) return known
    const bytes = this.#tested(number)
    this.#cache.set(number, bytes, bytes.length)
    return bytes
  }

  /**
   * The value in a run of pages.
   *
   * @throws DamagedPageError
   */
  value({ first, count, length }: OverflowRun): Buffer {
    const { pageSize } = this.file
    const bytes = Buffer.allocUnsafeSlow(count * pageSize)
    for (let index = 0; index < count; index++) bytes.set(this.#tested(first + index), index * pageSize)
    return bytes.subarray(PAGE_HEADER, PAGE_HEADER + length)
  }

  #tested(number: number): Buffer {
    const bytes = this.file.read(number)
    if (number < META_PAGES || bytes.length < this.file.pageSize || !this.#test(number, bytes)) {
      throw new DamagedPageError(number)
    }
    return bytes
  }
}
