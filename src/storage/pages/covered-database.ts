import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { crc32 } from 'node:zlib'
import { changedPages, type PageSumList } from './changed-pages.ts'
import { FREE_PAGES, TABLE_LIST } from './check-pages.ts'
import { pagesOfTree } from './live-pages.ts'
import { DATA_FILE, PageFile } from './page-file.ts'
import { decodeMeta, META_PAGES, type Meta, type Tree } from './page-format.ts'
import { DamagedPageError, matchesSum, PageReader } from './page-reader.ts'
import { PageSums, SUMS_FILE } from './page-sums.ts'
import { finished } from './steps.ts'
import { storeDamaged } from './store-damage.ts'

/** A database file with the checksums of its pages, at the same transaction. */
export interface CoveredDatabase {
  readonly file: PageFile
  readonly sums: PageSums
  readonly meta: Meta
  /** Checksums of the last commit that are not in the file of checksums: the process ended between the two. */
  readonly missing: PageSumList
}

/**
 * Opens the files of a database without LMDB, and checks that they belong together and that LMDB's own trees are
 * intact. Writes nothing.
 *
 * @returns `undefined` if the database has no checksums
 * @throws StorageError `STORE_DAMAGED`
 */
export function openCoveredDatabase(directory: string): CoveredDatabase | undefined {
  if (!existsSync(join(directory, SUMS_FILE))) return undefined
  const sums = PageSums.read(directory)
  if (sums === undefined) throw storeDamaged(directory, `${SUMS_FILE} has no intact header`)
  if (!existsSync(join(directory, DATA_FILE))) throw storeDamaged(directory, `${DATA_FILE} is missing`)
  const file = new PageFile(directory, sums)
  try {
    const { meta, missing } = newestState(directory, file, sums)
    sums.note(meta.transaction, missing)
    checkTree(directory, FREE_PAGES, meta.freeTree, { file, sums })
    checkTree(directory, TABLE_LIST, meta.mainTree, { file, sums })
    return { file, sums, meta, missing }
  } catch (error) {
    file.close()
    throw error
  }
}

/**
 * The newest state of the database. It is that of the checksums, or one transaction newer: the commit was complete
 * before its checksums were written.
 */
function newestState(directory: string, file: PageFile, sums: PageSums): Pick<CoveredDatabase, 'meta' | 'missing'> {
  const { transaction } = sums
  const covered = transaction % META_PAGES
  const meta = decodeMeta(file.read(covered))
  if (meta?.transaction !== transaction || !isCovered(file, sums, covered)) {
    const newest = file.newestMeta()?.transaction ?? 'none'
    const reason = `${DATA_FILE} (transaction ${newest}) and ${SUMS_FILE} (transaction ${transaction}) do not belong together: one of them is damaged or an older copy`
    throw storeDamaged(directory, reason)
  }
  const other = 1 - covered
  if (isCovered(file, sums, other)) return { meta, missing: [] }
  const next = decodeMeta(file.read(other))
  if (next?.transaction !== transaction + 1) throw storeDamaged(directory, `meta page ${other} of ${DATA_FILE}`)
  try {
    return { meta: next, missing: finished(changedPages(file, meta, next)) }
  } catch (error) {
    // Pages that no checksum covers can hold anything.
    throw storeDamaged(directory, `transaction ${next.transaction} of ${DATA_FILE} is incomplete`, error)
  }
}

function isCovered(file: PageFile, sums: PageSums, page: number): boolean {
  const bytes = file.read(page)
  return bytes.length === file.pageSize && crc32(bytes) === sums.of(page)
}

/** These trees are small, and LMDB reads them before anything else. */
function checkTree(
  directory: string,
  name: string,
  tree: Tree,
  { file, sums }: Pick<CoveredDatabase, 'file' | 'sums'>,
): void {
  try {
    finished(pagesOfTree(tree, new PageReader(file, matchesSum(sums))))
  } catch (error) {
    if (!(error instanceof DamagedPageError)) throw error
    throw storeDamaged(directory, `the list of ${name} (page ${error.page} of ${DATA_FILE})`, error)
  }
}

/** The checksums of all pages of a file. */
export function sumsOfFile(file: PageFile): PageSumList {
  const list: PageSumList = []
  const { pages } = file
  for (let page = 0; page < pages; page++) list.push(page, crc32(file.read(page)))
  return list
}
