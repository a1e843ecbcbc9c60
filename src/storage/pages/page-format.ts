/**
 * LMDB's file format, data version 2 (liblmdb/mdb.c: MDB_page_header, MDB_meta, MDB_db, MDB_node), little-endian. The
 * functions trust their input: pages are compared with their checksums first.
 */
const MAGIC = 0xbeefc0de
const DATA_VERSION = 2
export const PAGE_HEADER = 24
const PAGE = { number: 0, transaction: 8, flags: 18, lower: 20 } as const
const META = { magic: 0, version: 4, freeTree: 24, mainTree: 72, lastPage: 120, transaction: 128, length: 144 } as const
/** Bytes at the start of a meta page that hold its content. */
export const META_BYTES = PAGE_HEADER + META.length
const TREE = { pageSize: 0, depth: 6, branchPages: 8, leafPages: 16, overflowPages: 24, entries: 32, root: 40 } as const
const TREE_BYTES = 48
const BRANCH_PAGE = 1
const NODE = { flags: 4, keySize: 6, data: 8 } as const
const OVERFLOW_NODE = 1
const TREE_NODE = 2
const OVERFLOW_COUNT = 16
const NO_PAGE = 2n ** 64n - 1n
/** Meta pages; transaction n writes page n % 2. */
export const META_PAGES = 2

/** Root of a tree and its statistics. */
export interface Tree {
  /** `undefined` for an empty tree. */
  readonly root: number | undefined
  /** Levels, 0 for an empty tree. */
  readonly depth: number
  readonly branchPages: number
  readonly leafPages: number
  readonly overflowPages: number
  readonly entries: number
}

/** The state of a database after a transaction. */
export interface Meta {
  readonly pageSize: number
  /** Highest page number in use. */
  readonly lastPage: number
  readonly transaction: number
  /** Pages that are free, by the transaction that freed them. */
  readonly freeTree: Tree
  /** Tables by name. */
  readonly mainTree: Tree
}

/** @returns `undefined` if the page is not a meta page of this format */
export function decodeMeta(page: Buffer): Meta | undefined {
  if (page.length < META_BYTES) return undefined
  const meta = page.subarray(PAGE_HEADER)
  if (meta.readUInt32LE(META.magic) !== MAGIC || meta.readUInt32LE(META.version) !== DATA_VERSION) return undefined
  return {
    pageSize: meta.readUInt32LE(META.freeTree + TREE.pageSize),
    lastPage: uint64(meta, META.lastPage),
    transaction: uint64(meta, META.transaction),
    freeTree: decodeTree(meta.subarray(META.freeTree)),
    mainTree: decodeTree(meta.subarray(META.mainTree)),
  }
}

function decodeTree(bytes: Buffer): Tree {
  const root = bytes.readBigUInt64LE(TREE.root)
  return {
    root: root === NO_PAGE ? undefined : Number(root),
    depth: root === NO_PAGE ? 0 : bytes.readUInt16LE(TREE.depth),
    branchPages: uint64(bytes, TREE.branchPages),
    leafPages: uint64(bytes, TREE.leafPages),
    overflowPages: uint64(bytes, TREE.overflowPages),
    entries: uint64(bytes, TREE.entries),
  }
}

/** The number that a page states of itself. */
export function pageNumberIn(page: Buffer): number {
  return uint64(page, PAGE.number)
}

/** The transaction that wrote a page. */
export function pageTransactionIn(page: Buffer): number {
  return uint64(page, PAGE.transaction)
}

export function setPageNumber(page: Buffer, number: number): void {
  page.writeBigUInt64LE(BigInt(number), PAGE.number)
}

/** Changes the transaction of a meta page. */
export function setTransaction(metaPage: Buffer, transaction: number): void {
  metaPage.writeBigUInt64LE(BigInt(transaction), PAGE_HEADER + META.transaction)
}

export function isBranch(page: Buffer): boolean {
  return (page.readUInt16LE(PAGE.flags) & BRANCH_PAGE) !== 0
}

export function countNodes(page: Buffer): number {
  return page.readUInt16LE(PAGE.lower) >> 1
}

/** Offset of a node in its page. */
export function nodeAt(page: Buffer, index: number): number {
  return page.readUInt16LE(PAGE_HEADER + 2 * index) + PAGE_HEADER
}

/** The page below a node of a branch. */
export function childPageOf(page: Buffer, node: number): number {
  return page.readUInt32LE(node) + page.readUInt16LE(node + NODE.flags) * 2 ** 32
}

/** The key shares memory with the page. The first key of a branch is empty: it is lower than every other. */
export function keyOf(page: Buffer, node: number): Buffer {
  return page.subarray(node + NODE.data, node + NODE.data + page.readUInt16LE(node + NODE.keySize))
}

/** Pages that hold a large value, one after the other. */
export interface OverflowRun {
  readonly first: number
  readonly count: number
  /** Length of the value in bytes; it follows the header of the first page. */
  readonly length: number
}

export type NodeContent =
  | { readonly kind: 'value'; readonly value: Buffer }
  | { readonly kind: 'overflow'; readonly run: OverflowRun }
  | { readonly kind: 'tree'; readonly tree: Tree }

/** The content of a node of a leaf; it shares memory with the page. */
export function contentOf(page: Buffer, node: number): NodeContent {
  const flags = page.readUInt16LE(node + NODE.flags)
  const data = node + NODE.data + page.readUInt16LE(node + NODE.keySize)
  const length = page.readUInt32LE(node)
  if ((flags & OVERFLOW_NODE) !== 0) {
    const run = { first: uint64(page, data), count: uint64(page, data + OVERFLOW_COUNT), length }
    return { kind: 'overflow', run }
  }
  if ((flags & TREE_NODE) !== 0) return { kind: 'tree', tree: decodeTree(page.subarray(data, data + TREE_BYTES)) }
  return { kind: 'value', value: page.subarray(data, data + length) }
}

/** Page numbers and transactions are far below 2^53. */
function uint64(bytes: Buffer, offset: number): number {
  return bytes.readUInt32LE(offset) + bytes.readUInt32LE(offset + 4) * 2 ** 32
}
