import { closeSync, fsyncSync, openSync, writeSync } from 'node:fs'
import { join } from 'node:path'
import { crc32 } from 'node:zlib'
import { PRIVATE_FILE } from '../disk.ts'
import type { PageSumList } from './changed-pages.ts'
import type { CoveredDatabase } from './covered-database.ts'
import { livePages } from './live-pages.ts'
import { DATA_FILE } from './page-file.ts'
import { META_PAGES, type Meta, setPageNumber, setTransaction } from './page-format.ts'
import { matchesSum, PageReader } from './page-reader.ts'
import { PageSums } from './page-sums.ts'
import { inSteps } from './steps.ts'

/**
 * Copies the pages in use as of one transaction into an empty directory, each compared with its checksum, and syncs
 * the copy. Free pages become holes of a sparse file.
 *
 * @param meta pinned by a reader of LMDB, unless nothing writes the database
 * @throws DamagedPageError; what the file system throws
 */
export async function copyPages(
  { file, sums }: Pick<CoveredDatabase, 'file' | 'sums'>,
  meta: Meta,
  directory: string,
): Promise<void> {
  const target = openSync(join(directory, DATA_FILE), 'w', PRIVATE_FILE)
  try {
    const list = await inSteps(copied(file.read(meta.transaction % META_PAGES), target))
    new PageSums(directory, file).appendSync(meta.transaction, list, { sync: true })
    fsyncSync(target)
  } finally {
    closeSync(target)
  }

  function* copied(metaPage: Buffer, to: number): Generator<void, PageSumList> {
    const list: PageSumList = []
    const write = (number: number, bytes: Buffer) => {
      writeSync(to, bytes, 0, bytes.length, number * file.pageSize)
      list.push(number, crc32(bytes))
    }
    for (const { number, bytes } of livePages(meta, new PageReader(file, matchesSum(sums)))) {
      write(number, bytes)
      yield
    }
    const number = meta.transaction % META_PAGES
    write(number, metaPage)
    // LMDB wants two meta pages, and takes the newer one.
    setPageNumber(metaPage, 1 - number)
    setTransaction(metaPage, meta.transaction - 1)
    write(1 - number, metaPage)
    return list
  }
}
