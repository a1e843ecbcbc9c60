import type { TableName } from '../../../src/state/chain-store/encoding/tables.ts'
import type {
  Entry,
  KeyValueSnapshot,
  KeyValueStore,
  Range,
  StoreStatistics,
  TableReplacement,
} from '../../../src/storage/key-value.ts'
import { TableReplacer } from '../../../src/storage/lmdb/table-replacer.ts'
import { StorageError } from '../../../src/storage/storage-error.ts'
import type { TableSet, TableSets } from '../../../src/storage/table-sets.ts'
import type { SealedBatch, WriteBatch } from '../../../src/storage/write-batch.ts'
import type { DatabaseContent } from '../world/database.ts'

/** The database of the machine as the process sees it. */
export interface DatabaseAccess {
  readonly content: DatabaseContent
  commit(content: DatabaseContent, label: string): Promise<void>
}

/** The store of a node on a simulated database. */
export class SimulatedStore implements KeyValueStore<TableName> {
  readonly #sets: TableSets<TableName>
  readonly #database: DatabaseAccess
  readonly #replacer: TableReplacer<TableName>
  #last: Promise<void> = Promise.resolve()
  #isClosed = false
  #open = 0

  constructor(sets: TableSets<TableName>, database: DatabaseAccess) {
    this.#sets = sets
    this.#database = database
    this.#replacer = new TableReplacer({
      sets,
      snapshotOf: (set) => this.#snapshotOf(set),
      commitTo: (batch, set) => this.#commitTo(batch, () => set),
      isSound: async () => true,
    })
  }

  snapshot(): KeyValueSnapshot<TableName> {
    return this.#snapshotOf(this.#setInUse())
  }

  commit(batch: WriteBatch<TableName>): Promise<void> {
    return this.#commitTo(batch, () => this.#setInUse())
  }

  replace(): Promise<TableReplacement<TableName>> {
    return this.#replacer.begin()
  }

  statistics(): StoreStatistics<TableName> {
    const none = { entries: 0, bytes: 0 }
    const tables = Object.fromEntries(this.#sets.tables.map((table) => [table, none])) as Record<TableName, typeof none>
    return { fileBytes: 0, snapshots: this.#open, tables }
  }

  async close(): Promise<void> {
    await this.#last.catch(() => undefined)
    this.#isClosed = true
  }

  #setInUse(): TableSet {
    const first = new ContentSnapshot(
      this.#database.content,
      (table) => this.#sets.storedName(table, 0),
      () => {},
    )
    return this.#sets.inUse(first)
  }

  #snapshotOf(set: TableSet): KeyValueSnapshot<TableName> {
    if (this.#isClosed) throw new StorageError('STORE_CLOSED', 'the store is closed')
    this.#open += 1
    const onRelease = () => {
      this.#open -= 1
    }
    return new ContentSnapshot(this.#database.content, (table) => this.#sets.storedName(table, set), onRelease)
  }

  #commitTo(batch: WriteBatch<TableName>, setOf: () => TableSet): Promise<void> {
    if (this.#isClosed) return Promise.reject(new StorageError('STORE_CLOSED', 'the store is closed'))
    const sealed = batch.seal()
    const commit = this.#last.then(() => {
      const set = setOf()
      const content = changed(this.#database.content, sealed, (table) => this.#sets.storedName(table, set))
      return this.#database.commit(content, `${sealed.size}`)
    })
    this.#last = commit
    commit.catch(() => undefined)
    return commit
  }
}

class ContentSnapshot implements KeyValueSnapshot<TableName> {
  readonly #content: DatabaseContent
  readonly #storedName: (table: TableName) => string
  readonly #onRelease: () => void
  #owners = 1

  constructor(content: DatabaseContent, storedName: (table: TableName) => string, onRelease: () => void) {
    this.#content = content
    this.#storedName = storedName
    this.#onRelease = onRelease
  }

  get(table: TableName, key: Uint8Array): Uint8Array | undefined {
    const found = this.peek(table, key)
    return found === undefined ? undefined : Buffer.from(found)
  }

  peek(table: TableName, key: Uint8Array): Uint8Array | undefined {
    const entries = this.#entries(table)
    const found = entries[lowerBound(entries, key)]
    return found !== undefined && Buffer.compare(found.key, key) === 0 ? found.value : undefined
  }

  seek(table: TableName, key: Uint8Array): Entry | undefined {
    const entries = this.#entries(table)
    return copied(entries[lowerBound(entries, key)])
  }

  *range(table: TableName, { from, to, reverse = false, limit }: Range = {}): Generator<Entry> {
    const entries = this.#entries(table)
    const start = from === undefined ? 0 : lowerBound(entries, from)
    const end = to === undefined ? entries.length : lowerBound(entries, to)
    const count = Math.min(Math.max(0, end - start), limit ?? Number.POSITIVE_INFINITY)
    for (let index = 0; index < count; index += 1) {
      this.#assertPinned()
      yield copied(entries[reverse ? end - 1 - index : start + index])!
    }
  }

  retain(): this {
    this.#assertPinned()
    this.#owners += 1
    return this
  }

  release(): void {
    this.#assertPinned()
    this.#owners -= 1
    if (this.#owners === 0) this.#onRelease()
  }

  #entries(table: TableName): readonly Entry[] {
    this.#assertPinned()
    return this.#content.get(this.#storedName(table)) ?? []
  }

  #assertPinned(): void {
    if (this.#owners === 0) throw new StorageError('SNAPSHOT_RELEASED', 'the snapshot was released')
  }
}

function copied(entry: Entry | undefined): Entry | undefined {
  return entry && { key: Buffer.from(entry.key), value: Buffer.from(entry.value) }
}

function lowerBound(entries: readonly Entry[], key: Uint8Array): number {
  let low = 0
  let high = entries.length
  while (low < high) {
    const middle = (low + high) >>> 1
    if (Buffer.compare(entries[middle]!.key, key) < 0) low = middle + 1
    else high = middle
  }
  return low
}

/** The content after a batch: tables that it does not write are shared. */
function changed(
  content: DatabaseContent,
  batch: SealedBatch<TableName>,
  storedName: (table: TableName) => string,
): DatabaseContent {
  const next = new Map(content)
  const writable = new Map<string, Entry[]>()
  batch.forEach((table, key, value) => {
    const name = storedName(table)
    const entries = writable.get(name) ?? [...(content.get(name) ?? [])]
    writable.set(name, entries)
    next.set(name, entries)
    const index = lowerBound(entries, key)
    const found = entries[index]
    const isThere = found !== undefined && Buffer.compare(found.key, key) === 0
    // Copied: the bytes of a batch are used again.
    if (value === undefined) entries.splice(index, isThere ? 1 : 0)
    else entries.splice(index, isThere ? 1 : 0, { key: Buffer.from(key), value: Buffer.from(value) })
  })
  return next
}
