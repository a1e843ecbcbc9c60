import { crc32 } from 'node:zlib'
import type { PageFile } from './page-file.ts'
import {
  childPageOf,
  contentOf,
  countNodes,
  isBranch,
  keyOf,
  type Meta,
  nodeAt,
  pageNumberIn,
  pageTransactionIn,
  type Tree,
} from './page-format.ts'

/** Pages read at once where they are consecutive. */
const RUN_PAGES = 64

const EMPTY: Tree = { root: undefined, depth: 0, branchPages: 0, leafPages: 0, overflowPages: 0, entries: 0 }

/** A page that a commit should have written has other content. */
class UnexpectedPageError extends Error {
  override readonly name = 'UnexpectedPageError'
  readonly page: number

  constructor(page: number) {
    super(`page ${page} is not the one that the transaction wrote`)
    this.page = page
  }
}

/** Page numbers with the CRC-32 of their pages, alternating. */
export type PageSumList = number[]

/**
 * Finds the pages that one transaction wrote, and their checksums. LMDB copies on write: a changed page has another
 * number than the page it replaces, and so has every page above it. So the trees before and after are compared level
 * by level, by page numbers; what is only in the later one is new. The earlier pages are still in the file, since no
 * transaction overwrites pages of the one before it.
 *
 * Yields between reads, so that the caller can let other work run.
 *
 * @throws UnexpectedPageError
 */
export function* changedPages(file: PageFile, before: Meta, after: Meta): Generator<void, PageSumList> {
  const comparison = new TreeComparison(file, after.transaction)
  yield* comparison.compare(before.freeTree, after.freeTree)
  yield* comparison.compare(before.mainTree, after.mainTree, true)
  yield* comparison.compareTables()
  const meta = after.transaction % 2
  comparison.found.push(meta, crc32(file.read(meta)))
  return comparison.found
}

class TreeComparison {
  readonly found: PageSumList = []
  readonly #file: PageFile
  readonly #transaction: number
  readonly #tablesBefore = new Map<string, Tree>()
  readonly #tablesAfter = new Map<string, Tree>()

  constructor(file: PageFile, transaction: number) {
    this.#file = file
    this.#transaction = transaction
  }

  *compareTables(): Generator<void> {
    for (const [name, after] of this.#tablesAfter) {
      const before = this.#tablesBefore.get(name) ?? EMPTY
      if (before.root !== after.root) yield* this.compare(before, after)
    }
  }

  /** `hasTables`: leaves refer to the trees of tables. */
  *compare(before: Tree, after: Tree, hasTables = false): Generator<void> {
    const hasReferences = hasTables || before.overflowPages > 0 || after.overflowPages > 0
    let replaced: number[] = []
    let written: number[] = []
    for (let level = Math.max(before.depth, after.depth); level > 0; level--) {
      if (before.depth === level) replaced.push(before.root!)
      if (after.depth === level) written.push(after.root!)
      ;[replaced, written] = [without(replaced, written), without(written, replaced)]
      const isParsed = level > 1 || hasReferences
      const below = { replaced: new References(), written: new References() }
      yield* this.#visit(written, true, (page) => {
        if (isParsed) this.#collect(page, below.written, this.#tablesAfter)
      })
      if (isParsed) {
        yield* this.#visit(replaced, false, (page) => this.#collect(page, below.replaced, this.#tablesBefore))
      }
      yield* this.#overflow(below.replaced.runs, below.written.runs)
      replaced = below.replaced.children
      written = below.written.children
    }
  }

  *#overflow(replaced: ReadonlyMap<number, number>, written: ReadonlyMap<number, number>): Generator<void> {
    for (const [first, count] of written) {
      if (replaced.has(first)) continue
      for (let start = 0; start < count; start += RUN_PAGES) {
        const bytes = this.#read(first + start, Math.min(RUN_PAGES, count - start))
        if (start === 0) this.#assertWritten(first, bytes)
        this.#add(first + start, bytes)
        yield
      }
    }
  }

  /** Reads pages, consecutive ones together. */
  *#visit(pages: number[], isWritten: boolean, use: (page: Buffer) => void): Generator<void> {
    pages.sort((left, right) => left - right)
    const { pageSize } = this.#file
    for (let index = 0; index < pages.length; ) {
      const first = pages[index]!
      let count = 1
      while (count < RUN_PAGES && pages[index + count] === first + count) count += 1
      const bytes = this.#read(first, count)
      for (let at = 0; at < count; at++) {
        const page = bytes.subarray(at * pageSize, (at + 1) * pageSize)
        if (isWritten) this.#assertWritten(first + at, page)
        use(page)
      }
      if (isWritten) this.#add(first, bytes)
      index += count
      yield
    }
  }

  #read(first: number, count: number): Buffer {
    const bytes = this.#file.read(first, count)
    if (bytes.length < count * this.#file.pageSize) throw new UnexpectedPageError(first)
    return bytes
  }

  #assertWritten(number: number, page: Buffer): void {
    if (pageNumberIn(page) === number && pageTransactionIn(page) === this.#transaction) return
    throw new UnexpectedPageError(number)
  }

  #add(first: number, bytes: Buffer): void {
    const { pageSize } = this.#file
    for (let at = 0; at < bytes.length; at += pageSize) {
      this.found.push(first + at / pageSize, crc32(bytes.subarray(at, at + pageSize)))
    }
  }

  #collect(page: Buffer, references: References, tables: Map<string, Tree>): void {
    const isInner = isBranch(page)
    for (let index = countNodes(page) - 1; index >= 0; index--) {
      const node = nodeAt(page, index)
      if (isInner) {
        references.children.push(childPageOf(page, node))
        continue
      }
      const content = contentOf(page, node)
      if (content.kind === 'overflow') references.runs.set(content.run.first, content.run.count)
      else if (content.kind === 'tree') tables.set(keyOf(page, node).toString('latin1'), content.tree)
    }
  }
}

class References {
  readonly children: number[] = []
  /** Number of pages by first page. */
  readonly runs = new Map<number, number>()
}

function without(pages: number[], others: readonly number[]): number[] {
  if (others.length === 0) return pages
  const excluded = new Set(others)
  return pages.filter((page) => !excluded.has(page))
}
