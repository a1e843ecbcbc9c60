import { closeSync, fstatSync, openSync, readSync } from 'node:fs'
import { join } from 'node:path'
import { StorageError, systemErrorCode } from './storage-error.ts'

export const DATA_FILE = 'data.mdb'

/** LMDB's file format, data version 2 (liblmdb/mdb.c: MDB_page_header, MDB_meta, MDB_db, MDB_node), little-endian. */
const PAGE_HEADER = 24
const MAGIC = 0xbeefc0de
const DATA_VERSION = 2
const META = { magic: 0, version: 4, freeTree: 24, mainTree: 72, lastPage: 120, transaction: 128, length: 144 } as const
const TREE = { pageSize: 0, depth: 6, overflowPages: 24, root: 40 } as const
const PAGE = { flags: 18, lower: 20 } as const
const BRANCH_PAGE = 1
const NODE = { flags: 4, keySize: 6, data: 8 } as const
const OVERFLOW_NODE = 1
const TREE_NODE = 2
const NO_PAGE = 2n ** 64n - 1n

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
  const file = openIfPresent(path)
  if (file === undefined) return 'absent'
  try {
    // LMDB creates the file and writes its two meta pages a moment later: a kill in between leaves an empty file.
    if (fstatSync(file).size === 0) return 'absent'
    for (let meta = newestMeta(file, path); ; ) {
      // After reading the meta page: a writing process extends the file before it publishes the new root.
      const { size } = fstatSync(file)
      if (isComplete(file, meta, size)) return 'sound'
      const newer = newestMeta(file, path)
      if (newer.transaction === meta.transaction) throw truncated(path, size, (meta.lastPage + 1) * meta.pageSize)
      // Committed in the meantime: pages of the older root may have been overwritten.
      meta = newer
    }
  } finally {
    closeSync(file)
  }
}

function isComplete(file: number, { pageSize, lastPage, freeTree, mainTree }: Meta, size: number): boolean {
  const pages: Pages = { file, pageSize, count: Math.floor(size / pageSize) }
  if (lastPage < pages.count) return true
  return isTreeComplete(pages, freeTree, false) && isTreeComplete(pages, mainTree, true)
}

function openIfPresent(path: string): number | undefined {
  try {
    return openSync(path, 'r')
  } catch (error) {
    if (systemErrorCode(error) === 'ENOENT') return undefined
    throw error
  }
}

function truncated(path: string, size: number, expected: number): StorageError {
  return new StorageError(
    'TRUNCATED_DATABASE',
    `${path} is truncated: it has ${size} bytes where ${expected} are expected; restore the data directory from a copy, or remove it to begin anew`,
    { path, offset: size },
  )
}

interface Meta {
  readonly pageSize: number
  readonly lastPage: number
  readonly freeTree: Buffer
  readonly mainTree: Buffer
  readonly transaction: bigint
}

function newestMeta(file: number, path: string): Meta {
  const first = readMeta(file, 0)
  const { size } = fstatSync(file)
  if (first === undefined) {
    if (size < PAGE_HEADER + META.length) throw truncated(path, size, 2 * 4096)
    throw new StorageError('NOT_A_DATABASE', `${path} is no database of this program: choose another data directory`, {
      path,
    })
  }
  const second = readMeta(file, first.pageSize)
  if (second === undefined) throw truncated(path, size, 2 * first.pageSize)
  return second.transaction > first.transaction ? second : first
}

function readMeta(file: number, position: number): Meta | undefined {
  const bytes = readAt(file, position + PAGE_HEADER, META.length)
  if (bytes.length < META.length) return undefined
  if (bytes.readUInt32LE(META.magic) !== MAGIC || bytes.readUInt32LE(META.version) !== DATA_VERSION) return undefined
  return {
    pageSize: bytes.readUInt32LE(META.freeTree + TREE.pageSize),
    lastPage: Number(bytes.readBigUInt64LE(META.lastPage)),
    transaction: bytes.readBigUInt64LE(META.transaction),
    freeTree: bytes.subarray(META.freeTree),
    mainTree: bytes.subarray(META.mainTree),
  }
}

interface Pages {
  readonly file: number
  readonly pageSize: number
  /** Pages in the file. */
  readonly count: number
}

/** `hasTables`: leaves of the main tree hold the roots of the tables. */
function isTreeComplete(pages: Pages, tree: Buffer, hasTables: boolean): boolean {
  const root = tree.readBigUInt64LE(TREE.root)
  if (root === NO_PAGE) return true
  const readLeaves = hasTables || tree.readBigUInt64LE(TREE.overflowPages) > 0n
  const level = tree.readUInt16LE(TREE.depth)
  const open: { page: number; level: number }[] = [{ page: Number(root), level }]
  for (let next = open.pop(); next !== undefined; next = open.pop()) {
    if (next.page >= pages.count) return false
    if (next.level <= 1 && !readLeaves) continue
    const page = readAt(pages.file, next.page * pages.pageSize, pages.pageSize)
    const isBranch = (page.readUInt16LE(PAGE.flags) & BRANCH_PAGE) !== 0
    for (const node of nodesOf(page)) {
      if (isBranch) open.push({ page: childOf(page, node), level: next.level - 1 })
      else if (!isLeafNodeComplete(pages, page, node)) return false
    }
  }
  return true
}

function isLeafNodeComplete(pages: Pages, page: Buffer, node: number): boolean {
  const flags = page.readUInt16LE(node + NODE.flags)
  const data = node + NODE.data + page.readUInt16LE(node + NODE.keySize)
  if ((flags & OVERFLOW_NODE) !== 0) {
    const end = page.readBigUInt64LE(data) + page.readBigUInt64LE(data + 16)
    return end <= BigInt(pages.count)
  }
  return (flags & TREE_NODE) === 0 || isTreeComplete(pages, page.subarray(data), false)
}

function nodesOf(page: Buffer): number[] {
  const count = page.readUInt16LE(PAGE.lower) >> 1
  return Array.from({ length: count }, (_, index) => page.readUInt16LE(PAGE_HEADER + 2 * index) + PAGE_HEADER)
}

function childOf(page: Buffer, node: number): number {
  return page.readUInt32LE(node) + page.readUInt16LE(node + NODE.flags) * 2 ** 32
}

function readAt(file: number, position: number, length: number): Buffer {
  const bytes = Buffer.alloc(length)
  return bytes.subarray(0, readSync(file, bytes, 0, length, position))
}
