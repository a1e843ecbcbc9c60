import type { Entry, KeyValueSnapshot, KeyValueStore, Range, StoreStatistics } from '../../src/storage/key-value.ts'
import { StorageError } from '../../src/storage/storage-error.ts'
import type { SealedBatch, WriteBatch } from '../../src/storage/write-batch.ts'
import type { PowerSupply } from './power-supply.ts'

/** Sorted by key; never changed once published. */
type TableContent = readonly Entry[]
type StoreContent<Table extends string> = ReadonlyMap<Table, TableContent>

/**
 * An in-memory store that loses unsynced data on power loss. For small contents: a commit copies tables.
 */
export class MemoryStore<Table extends string> implements KeyValueStore<Table> {
  readonly #power: PowerSupply
  #content: StoreContent<Table>
  /** Pending commits, in order. */
  #underway: StoreContent<Table>[] = []
  #lastCommit: Promise<void> = Promise.resolve()
  #openSnapshots = 0

  constructor(options: { readonly tables: readonly Table[] }, parts: { readonly power: PowerSupply }) {
    this.#content = new Map(options.tables.map((table) => [table, []]))
    this.#power = parts.power
  }

  /** Keeps committed data. The pending commit survives completely or not at all. */
  powerOff(random: () => number): void {
    const reached = this.#underway[0]
    if (reached !== undefined && random() < 0.5) this.#content = reached
    this.#underway = []
    this.#lastCommit = Promise.resolve()
    this.#power.restore()
  }

  snapshot(): KeyValueSnapshot<Table> {
    this.#power.assertOn()
    this.#openSnapshots += 1
    return new MemorySnapshot(this.#content, () => {
      this.#openSnapshots -= 1
    })
  }

  commit(batch: WriteBatch<Table>): Promise<void> {
    const sealed = batch.seal()
    const commit = this.#lastCommit.then(async () => {
      this.#power.assertOn()
      const content = changed(this.#content, sealed)
      this.#underway.push(content)
      await Promise.resolve()
      this.#power.syncPoint('commit')
      this.#underway.shift()
      this.#content = content
    })
    this.#lastCommit = commit
    commit.catch(() => {})
    return commit
  }

  statistics(): StoreStatistics<Table> {
    const tables = [...this.#content].map(([name, entries]) => {
      const bytes = entries.reduce((sum, { key, value }) => sum + key.length + value.length, 0)
      return [name, { entries: entries.length, bytes }] as const
    })
    return {
      fileBytes: tables.reduce((sum, [, { bytes }]) => sum + bytes, 0),
      snapshots: this.#openSnapshots,
      tables: Object.fromEntries(tables) as StoreStatistics<Table>['tables'],
    }
  }

  async close(): Promise<void> {
    await this.#lastCommit
  }
}

class MemorySnapshot<Table extends string> implements KeyValueSnapshot<Table> {
  readonly #content: StoreContent<Table>
  readonly #onRelease: () => void
  #owners = 1

  constructor(content: StoreContent<Table>, onRelease: () => void) {
    this.#content = content
    this.#onRelease = onRelease
  }

  get(table: Table, key: Uint8Array): Uint8Array | undefined {
    const found = this.seek(table, key)
    return found !== undefined && Buffer.compare(found.key, key) === 0 ? found.value : undefined
  }

  peek(table: Table, key: Uint8Array): Uint8Array | undefined {
    return this.get(table, key)
  }

  seek(table: Table, key: Uint8Array): Entry | undefined {
    this.#assertPinned()
    const entries = this.#content.get(table)!
    return entries[lowerBound(entries, key)]
  }

  *range(table: Table, { from, to, reverse = false, limit }: Range = {}): Generator<Entry> {
    this.#assertPinned()
    const entries = this.#content.get(table)!
    const start = from === undefined ? 0 : lowerBound(entries, from)
    const end = to === undefined ? entries.length : lowerBound(entries, to)
    const count = Math.min(Math.max(0, end - start), limit ?? Number.POSITIVE_INFINITY)
    for (let index = 0; index < count; index += 1) {
      this.#assertPinned()
      yield entries[reverse ? end - 1 - index : start + index]!
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

  #assertPinned(): void {
    if (this.#owners === 0) throw new StorageError('SNAPSHOT_RELEASED', 'the snapshot was released')
  }
}

function lowerBound(entries: TableContent, key: Uint8Array): number {
  let low = 0
  let high = entries.length
  while (low < high) {
    const middle = (low + high) >>> 1
    if (Buffer.compare(entries[middle]!.key, key) < 0) low = middle + 1
    else high = middle
  }
  return low
}

function changed<Table extends string>(content: StoreContent<Table>, batch: SealedBatch<Table>): StoreContent<Table> {
  const next = new Map([...content].map(([table, entries]) => [table, [...entries]]))
  batch.forEach((table, key, value) => {
    const entries = next.get(table)!
    const index = lowerBound(entries, key)
    const found = entries[index]
    const isThere = found !== undefined && Buffer.compare(found.key, key) === 0
    // Copied: the caller may reuse the bytes of a batch after the commit.
    const entry = value === undefined ? [] : [{ key: new Uint8Array(key), value: new Uint8Array(value) }]
    entries.splice(index, isThere ? 1 : 0, ...entry)
  })
  return next
}
