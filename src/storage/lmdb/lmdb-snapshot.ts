import type { Database, Transaction } from 'lmdb'
import type { Bytes } from '../../primitives/hex.ts'
import type { Entry, KeyValueSnapshot, Range } from '../key-value.ts'
import { StorageError } from '../storage-error.ts'

/** Adds the options that lmdb's declaration of `getBinaryFast` lacks. */
export type LmdbTable = Database<Uint8Array, Uint8Array> & {
  getBinaryFast(key: Uint8Array, options: { readonly transaction: Transaction }): Buffer | undefined
}

export interface LmdbSnapshotDeps<Table extends string> {
  readonly transaction: Transaction
  /** `undefined` for a table that a read-only store did not find. */
  readonly tables: ReadonlyMap<Table, LmdbTable | undefined>
  readonly onRelease: (snapshot: LmdbSnapshot<Table>) => void
}

/** A pinned read transaction of LMDB. */
export class LmdbSnapshot<Table extends string> implements KeyValueSnapshot<Table> {
  readonly #deps: LmdbSnapshotDeps<Table>
  #tables: LmdbSnapshotDeps<Table>['tables']
  /** Cursors must end before their transaction does, or LMDB crashes. */
  readonly #cursors = new Set<Iterator<Entry>>()
  #owners = 1

  constructor(deps: LmdbSnapshotDeps<Table>) {
    this.#deps = deps
    this.#tables = deps.tables
  }

  /** Reads these tables from now on, as of the same transaction. */
  use(tables: LmdbSnapshotDeps<Table>['tables']): void {
    this.#tables = tables
  }

  get(table: Table, key: Bytes): Bytes | undefined {
    this.#assertPinned()
    if (key.length === 0) return undefined
    return this.#table(table)?.get(key, { transaction: this.#deps.transaction })
  }

  peek(table: Table, key: Bytes): Bytes | undefined {
    this.#assertPinned()
    if (key.length === 0) return undefined
    const database = this.#table(table)
    const value = database?.getBinaryFast(key, { transaction: this.#deps.transaction })
    // lmdb returns its own buffer; `length` is the length of the value.
    return value?.subarray(0, value.length)
  }

  seek(table: Table, key: Bytes): Entry | undefined {
    this.#assertPinned()
    const iterator = this.#iterate(table, { from: key, limit: 1 })
    if (iterator === undefined) return undefined
    const first = iterator.next()
    iterator.return?.()
    return first.done === true ? undefined : first.value
  }

  range(table: Table, range: Range = {}): Iterable<Entry> {
    this.#assertPinned()
    return { [Symbol.iterator]: () => this.#entries(table, range) }
  }

  retain(): this {
    this.#assertPinned()
    this.#owners += 1
    return this
  }

  release(): void {
    this.#assertPinned()
    this.#owners -= 1
    if (this.#owners === 0) this.#end()
  }

  /** Releases all owners, for a store that closes. */
  releaseAll(): void {
    if (this.#owners === 0) return
    this.#owners = 0
    this.#end()
  }

  #end(): void {
    for (const cursor of this.#cursors) cursor.return?.()
    this.#cursors.clear()
    this.#deps.transaction.done()
    this.#deps.onRelease(this)
  }

  *#entries(table: Table, range: Range): Generator<Entry> {
    this.#assertPinned()
    const cursor = this.#iterate(table, range)
    if (cursor === undefined) return
    this.#cursors.add(cursor)
    try {
      for (;;) {
        this.#assertPinned()
        const next = cursor.next()
        if (next.done === true) return
        yield next.value
      }
    } finally {
      // `release` already closed the cursors of a released snapshot.
      if (this.#cursors.delete(cursor)) cursor.return?.()
    }
  }

  #iterate(table: Table, { from, to, reverse = false, limit }: Range): Iterator<Entry> | undefined {
    const lowest = from?.length === 0 ? undefined : from
    if (limit === 0 || to?.length === 0) return undefined
    // For a reverse range, lmdb starts at the high end, which is exclusive here.
    const bounds = reverse
      ? { reverse, start: to, exclusiveStart: to !== undefined, end: lowest, inclusiveEnd: true }
      : { ...(lowest === undefined ? {} : { start: lowest }), end: to }
    return this.#table(table)
      ?.getRange({ ...bounds, ...(limit === undefined ? {} : { limit }), transaction: this.#deps.transaction })
      [Symbol.iterator]()
  }

  #table(table: Table): LmdbTable | undefined {
    if (!this.#tables.has(table)) throw new Error(`there is no table ${table}`)
    return this.#tables.get(table)
  }

  #assertPinned(): void {
    if (this.#owners > 0) return
    throw new StorageError('SNAPSHOT_RELEASED', 'the snapshot was released: retain it for as long as it is read')
  }
}
