import type { Bytes } from '../../primitives/hex.ts'
import type { Entry, KeyValueReader, Range, TableStatistics } from '../key-value.ts'
import { TABLE_LIST } from './check-pages.ts'
import type { Meta, Tree } from './page-format.ts'
import { DamagedPageError, type PageReader } from './page-reader.ts'
import { PageTree } from './page-tree.ts'
import { dataDamaged } from './store-damage.ts'

export interface PageTablesDeps {
  readonly reader: PageReader
  /** Called when a read meets a damaged page. */
  readonly onDamage?: ((table: string) => void) | undefined
}

/**
 * The tables of a database as of one transaction, read page by page without LMDB; every page is tested. Ten times
 * slower than LMDB. Reads throw StorageError `DATA_DAMAGED`.
 */
export class PageTables<Table extends string> implements KeyValueReader<Table> {
  readonly #directory: string
  readonly #meta: Meta
  readonly #deps: PageTablesDeps
  #trees: ReadonlyMap<string, Tree> | undefined
  #storedName: (table: Table) => string = (table) => table

  constructor({ directory, meta }: { readonly directory: string; readonly meta: Meta }, deps: PageTablesDeps) {
    this.#directory = directory
    this.#meta = meta
    this.#deps = deps
  }

  /** @param storedName name of a table in the file from now on */
  use(storedName: (table: Table) => string): void {
    this.#storedName = storedName
  }

  get(table: Table, key: Bytes): Bytes | undefined {
    return this.#reading(table, () => {
      const value = this.#tree(table)?.get(key)
      return value === undefined ? undefined : Buffer.from(value)
    })
  }

  peek(table: Table, key: Bytes): Bytes | undefined {
    return this.#reading(table, () => this.#tree(table)?.get(key))
  }

  seek(table: Table, key: Bytes): Entry | undefined {
    const [first] = this.range(table, { from: key, limit: 1 })
    return first
  }

  *range(table: Table, range: Range = {}): Generator<Entry> {
    const entries = this.#reading(table, () => this.#tree(table)?.range(range))
    if (entries === undefined) return
    for (;;) {
      const next = this.#reading(table, () => entries.next())
      if (next.done === true) return
      yield next.value
    }
  }

  names(): readonly string[] {
    return [...this.#reading(TABLE_LIST, () => this.#allTrees()).keys()]
  }

  statistics(table: Table): TableStatistics {
    const tree = this.#reading(TABLE_LIST, () => this.#allTrees()).get(this.#storedName(table))
    if (tree === undefined) return { entries: 0, bytes: 0 }
    const pages = tree.branchPages + tree.leafPages + tree.overflowPages
    return { entries: tree.entries, bytes: pages * this.#meta.pageSize }
  }

  #tree(table: Table): PageTree | undefined {
    const tree = this.#allTrees().get(this.#storedName(table))
    return tree && new PageTree(tree, this.#deps.reader)
  }

  #allTrees(): ReadonlyMap<string, Tree> {
    if (this.#trees === undefined) {
      const main = new PageTree(this.#meta.mainTree, this.#deps.reader)
      this.#trees = new Map([...main.trees()].map(({ name, tree }) => [name, tree]))
    }
    return this.#trees
  }

  #reading<Result>(table: string, read: () => Result): Result {
    try {
      return read()
    } catch (error) {
      if (!(error instanceof DamagedPageError)) throw error
      this.#deps.onDamage?.(table)
      throw dataDamaged(this.#directory, table, error)
    }
  }
}
