import { statSync } from 'node:fs'
import { join } from 'node:path'
import { DATA_FILE, PageFile } from '../pages/page-file.ts'
import {
  childPageOf,
  contentOf,
  countNodes,
  META_BYTES,
  META_PAGES,
  type Meta,
  nodeAt,
  type Tree,
} from '../pages/page-format.ts'
import { StorageError } from '../storage-error.ts'

/**
 * Checks whether the directory holds a database and whether its file is complete.
 *
 * The last pages may be missing if they are free, so a short file is walked as a tree: it is truncated if a page in use
 * is missing.
 *
 * @throws StorageError `TRUNCATED_DATABASE`, `NOT_A_DATABASE`
 */
export function checkDatabaseFile(directory: string): 'absent' | 'sound' {
  const path = join(directory, DATA_FILE)
  const size = statSync(path, { throwIfNoEntry: false })?.size ?? 0
  // LMDB creates the file and writes its two meta pages a moment later: a kill in between leaves an empty file.
  if (size === 0) return 'absent'
  const file = openDatabase(directory, size)
  try {
    for (let meta = newestMeta(file); ; ) {
      // After reading the meta page: a writing process extends the file before it publishes the new root.
      const { pages } = file
      if (isComplete(file, meta, pages)) return 'sound'
      const newer = newestMeta(file)
      if (newer.transaction === meta.transaction) {
        throw truncated(path, file.bytes, (meta.lastPage + 1) * meta.pageSize)
      }
      // Committed in the meantime: pages of the older root may have been overwritten.
      meta = newer
    }
  } finally {
    file.close()
  }
}

function openDatabase(directory: string, size: number): PageFile {
  const file = PageFile.open(directory)
  if (file !== undefined) return file
  const path = join(directory, DATA_FILE)
  if (size < META_BYTES) throw truncated(path, size, META_PAGES * 4096)
  throw new StorageError('NOT_A_DATABASE', `${path} is no database of this program: choose another data directory`, {
    path,
  })
}

function newestMeta(file: PageFile): Meta {
  const { path, pageSize } = file
  const newest = file.newestMeta()
  if (newest !== undefined && file.metaAt(1) !== undefined) return newest
  throw truncated(path, file.bytes, META_PAGES * pageSize)
}

function truncated(path: string, size: number, expected: number): StorageError {
  return new StorageError(
    'TRUNCATED_DATABASE',
    `${path} is truncated: it has ${size} bytes where ${expected} are expected; restore the data directory from a copy, or remove it to begin anew`,
    { path, offset: size },
  )
}

function isComplete(file: PageFile, { lastPage, freeTree, mainTree }: Meta, pages: number): boolean {
  if (lastPage < pages) return true
  return (
    isTreeComplete(file, freeTree, { pages, hasTables: false }) &&
    isTreeComplete(file, mainTree, { pages, hasTables: true })
  )
}

interface Extent {
  /** Pages in the file. */
  readonly pages: number
  /** Whether leaves hold the roots of tables. */
  readonly hasTables: boolean
}

function isTreeComplete(file: PageFile, { root, depth, overflowPages }: Tree, extent: Extent): boolean {
  if (root === undefined) return true
  const readLeaves = extent.hasTables || overflowPages > 0
  const open = [{ number: root, level: depth }]
  for (let next = open.pop(); next !== undefined; next = open.pop()) {
    if (next.number >= extent.pages) return false
    if (next.level <= 1 && !readLeaves) continue
    const page = file.read(next.number)
    for (let index = countNodes(page) - 1; index >= 0; index--) {
      const node = nodeAt(page, index)
      if (next.level > 1) open.push({ number: childPageOf(page, node), level: next.level - 1 })
      else if (!isNodeComplete(file, page, node, extent)) return false
    }
  }
  return true
}

function isNodeComplete(file: PageFile, page: Buffer, node: number, { pages }: Extent): boolean {
  const content = contentOf(page, node)
  if (content.kind === 'overflow') return content.run.first + content.run.count <= pages
  return content.kind === 'value' || isTreeComplete(file, content.tree, { pages, hasTables: false })
}
