import { crc32 } from 'node:zlib'
import type { PageFile } from './page-file.ts'
import { childPageOf, contentOf, countNodes, keyOf, META_PAGES, type Meta, nodeAt, type Tree } from './page-format.ts'
import { PageReader } from './page-reader.ts'
import type { PageSums } from './page-sums.ts'
import { PageTree } from './page-tree.ts'

/** Pages read at once. */
const RUN_PAGES = 64

/**
 * Compares pages of the file with their checksums, in the order of the file, and yields the number of the next page
 * after each read. Damaged pages are added to `damaged`; they may be free ones.
 */
export function* checkPages(
  file: PageFile,
  sums: Pick<PageSums, 'of' | 'end'>,
  { from = META_PAGES, damaged }: { readonly from?: number; readonly damaged: Set<number> },
): Generator<number, void> {
  const { pageSize } = file
  const bytes = Buffer.allocUnsafeSlow(RUN_PAGES * pageSize)
  for (let first = from; first < sums.end; first += RUN_PAGES) {
    const length = file.readInto(bytes, first)
    const end = Math.min(first + RUN_PAGES, sums.end)
    for (let page = first; page < end; page++) {
      const expected = sums.of(page)
      if (expected === 0) continue
      const offset = (page - first) * pageSize
      const isComplete = offset + pageSize <= length
      if (!isComplete || crc32(bytes.subarray(offset, offset + pageSize)) !== expected) damaged.add(page)
    }
    yield end
  }
}

/** Part of the database that cannot be read. */
export interface DamagedPart {
  /** `free pages` and `tables` for LMDB's own trees. */
  readonly table: string
  /** A leaf and a value concern the keys of the range only; an inner page may hide any number of entries. */
  readonly kind: 'inner page' | 'leaf' | 'value'
  /** First key concerned, as hex; empty: from the start of the table. */
  readonly from: string
  /** End of the keys, as hex, exclusive; `undefined`: to the end of the table. */
  readonly to: string | undefined
  /** The damaged pages. */
  readonly pages: readonly number[]
}

export const FREE_PAGES = 'free pages'
export const TABLE_LIST = 'tables'

/** Finds what is stored in damaged pages. Free pages do not count. */
export function damagedParts(file: PageFile, meta: Meta, damaged: ReadonlySet<number>): readonly DamagedPart[] {
  const isSound = (page: number) => !damaged.has(page)
  const walk = new DamageWalk(new PageReader(file, isSound), isSound)
  walk.tree(FREE_PAGES, meta.freeTree)
  if (!walk.tree(TABLE_LIST, meta.mainTree)) return walk.parts
  for (const { name, tree } of new PageTree(meta.mainTree, new PageReader(file, isSound)).trees()) walk.tree(name, tree)
  return walk.parts
}

interface Keys {
  readonly from: Buffer
  readonly to: Buffer | undefined
}

class DamageWalk {
  readonly parts: DamagedPart[] = []
  readonly #reader: PageReader
  readonly #isSound: (page: number) => boolean

  constructor(reader: PageReader, isSound: (page: number) => boolean) {
    this.#reader = reader
    this.#isSound = isSound
  }

  /** @returns whether the tree is sound */
  tree(table: string, { root, depth, overflowPages }: Tree): boolean {
    const before = this.parts.length
    if (root !== undefined) {
      this.#visit(table, root, { level: depth, hasRuns: overflowPages > 0 }, { from: Buffer.alloc(0), to: undefined })
    }
    return this.parts.length === before
  }

  #visit(table: string, number: number, { level, hasRuns }: { level: number; hasRuns: boolean }, keys: Keys): void {
    if (!this.#isSound(number)) {
      this.#add(table, level > 1 ? 'inner page' : 'leaf', keys, [number])
      return
    }
    if (level === 1 && !hasRuns) return
    const page = this.#reader.page(number)
    const count = countNodes(page)
    for (let index = 0; index < count; index++) {
      const node = nodeAt(page, index)
      if (level === 1) {
        this.#value(table, page, node)
        continue
      }
      const from = index === 0 ? keys.from : keyOf(page, node)
      const to = index + 1 < count ? keyOf(page, nodeAt(page, index + 1)) : keys.to
      this.#visit(table, childPageOf(page, node), { level: level - 1, hasRuns }, { from, to })
    }
  }

  #value(table: string, page: Buffer, node: number): void {
    const content = contentOf(page, node)
    if (content.kind !== 'overflow') return
    const { first, count } = content.run
    const pages = Array.from({ length: count }, (_, index) => first + index).filter((at) => !this.#isSound(at))
    const from = keyOf(page, node)
    if (pages.length > 0) this.#add(table, 'value', { from, to: Buffer.concat([from, Buffer.alloc(1)]) }, pages)
  }

  #add(table: string, kind: DamagedPart['kind'], { from, to }: Keys, pages: readonly number[]): void {
    this.parts.push({ table, kind, from: from.toString('hex'), to: to?.toString('hex'), pages })
  }
}
