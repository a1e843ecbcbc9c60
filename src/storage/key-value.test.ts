import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import fc from 'fast-check'
import { describe, expect, onTestFinished, test } from 'vitest'
import { MemoryStore } from '../../test/support/memory-store.ts'
import { PowerSupply } from '../../test/support/power-supply.ts'
import { type Entry, type KeyValueSnapshot, type KeyValueStore, withSnapshot } from './key-value.ts'
import { openLmdbStore } from './lmdb/lmdb-store.ts'
import { WriteBatch } from './write-batch.ts'

type Table = 'one' | 'two'
const TABLES: readonly Table[] = ['one', 'two']

const STORES: readonly { readonly name: string; readonly create: () => KeyValueStore<Table> }[] = [
  {
    name: 'LMDB',
    create() {
      const path = mkdtempSync(join(tmpdir(), 'key-value-'))
      const store = openLmdbStore<Table>({ path, tables: TABLES, sync: false })
      onTestFinished(async () => {
        await store.close()
        rmSync(path, { recursive: true, force: true })
      })
      return store
    },
  },
  {
    name: 'the double in memory',
    create: () => new MemoryStore<Table>({ tables: TABLES }, { power: new PowerSupply() }),
  },
]

/** Tables by name, each a map from keys to values in hex, which sorts like the bytes. */
type Model = ReadonlyMap<Table, ReadonlyMap<string, string>>

const hex = (bytes: Uint8Array): string => Buffer.from(bytes).toString('hex')
const shown = (entries: Iterable<Entry>): string[] => [...entries].map(({ key, value }) => `${hex(key)}=${hex(value)}`)

function modelRange(model: Model, table: Table, { from, to, reverse, limit }: ReadRange): string[] {
  const keys = [...model.get(table)!.keys()].toSorted()
  const within = keys.filter((key) => (from === undefined || key >= hex(from)) && (to === undefined || key < hex(to)))
  const ordered = reverse === true ? within.toReversed() : within
  return ordered.slice(0, limit).map((key) => `${key}=${model.get(table)!.get(key)}`)
}

// Few distinct bytes, so that keys collide, and both ends of the order.
const someKey = fc
  .array(fc.constantFrom(0, 1, 2, 254, 255), { minLength: 1, maxLength: 4 })
  .map((bytes) => Uint8Array.from(bytes))
const someTable = fc.constantFrom(...TABLES)
const someOperation = fc.record({
  table: someTable,
  key: someKey,
  value: fc.option(fc.uint8Array({ maxLength: 6 }), { nil: undefined }),
})
const someRead = fc.record(
  {
    table: someTable,
    from: someKey,
    to: someKey,
    reverse: fc.boolean(),
    limit: fc.integer({ min: 0, max: 5 }),
  },
  { requiredKeys: ['table'] },
)
type ReadRange = { from?: Uint8Array; to?: Uint8Array; reverse?: boolean; limit?: number }
const someStep = fc.oneof(
  {
    weight: 3,
    arbitrary: fc.record({
      kind: fc.constant('commit' as const),
      operations: fc.array(someOperation, { maxLength: 12 }),
    }),
  },
  { weight: 2, arbitrary: fc.record({ kind: fc.constant('take' as const) }) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('release' as const), which: fc.nat() }) },
  {
    weight: 4,
    arbitrary: fc.record({ kind: fc.constant('read' as const), which: fc.nat(), read: someRead, at: someKey }),
  },
)

describe.each(STORES)('$name', ({ create }) => {
  test('is a sorted map whose snapshots do not change during later writes', async () => {
    const store = create()
    const property = fc.asyncProperty(fc.array(someStep, { maxLength: 30 }), async (steps) => {
      await clear(store)
      let model: Model = new Map(TABLES.map((table) => [table, new Map()]))
      const snapshots: { snapshot: KeyValueSnapshot<Table>; model: Model }[] = [{ snapshot: store.snapshot(), model }]
      const commits: Promise<void>[] = []
      for (const step of steps) {
        if (step.kind === 'commit') {
          const next = new Map([...model].map(([table, content]) => [table, new Map(content)]))
          const batch = new WriteBatch<Table>()
          for (const { table, key, value } of step.operations) {
            if (value === undefined) {
              batch.delete(table, key)
              next.get(table)!.delete(hex(key))
            } else {
              batch.put(table, key, value)
              next.get(table)!.set(hex(key), hex(value))
            }
          }
          // Snapshots are read during the commit.
          commits.push(store.commit(batch))
          model = next
        } else if (step.kind === 'take') {
          await Promise.all(commits)
          snapshots.push({ snapshot: store.snapshot(), model })
        } else if (step.kind === 'release' && snapshots.length > 1) {
          snapshots.splice(step.which % snapshots.length, 1)[0]!.snapshot.release()
        } else if (step.kind === 'read') {
          const { snapshot, model: then } = snapshots[step.which % snapshots.length]!
          const { table, ...range } = step.read
          expect(shown(snapshot.range(table, range))).toEqual(modelRange(then, table, range))
          const value = snapshot.get(table, step.at)
          expect(value === undefined ? undefined : hex(value)).toBe(then.get(table)!.get(hex(step.at)))
          const peeked = snapshot.peek(table, step.at)
          expect(peeked === undefined ? undefined : hex(peeked)).toBe(then.get(table)!.get(hex(step.at)))
          const found = snapshot.seek(table, step.at)
          expect(found === undefined ? [] : shown([found])).toEqual(
            modelRange(then, table, { from: step.at, limit: 1 }),
          )
        }
      }
      await Promise.all(commits)
      for (const { snapshot, model: then } of snapshots) {
        for (const table of TABLES) expect(shown(snapshot.range(table))).toEqual(modelRange(then, table, {}))
        snapshot.release()
      }
      expect(store.statistics().snapshots).toBe(0)
    })
    await fc.assert(property, { numRuns: 200 })
  })

  test('keeps a snapshot until its last owner releases it, then rejects reads', async () => {
    const store = create()
    const batch = new WriteBatch<Table>()
    for (const key of [1, 2, 3]) batch.put('one', Uint8Array.of(key), Uint8Array.of(key))
    await store.commit(batch)
    const snapshot = store.snapshot()
    snapshot.retain().release()
    const iterator = snapshot.range('one')[Symbol.iterator]()
    expect(hex(iterator.next().value.key)).toBe('01')
    snapshot.release()
    const released = expect.objectContaining({ code: 'SNAPSHOT_RELEASED' })
    expect(() => iterator.next()).toThrow(released)
    expect(() => snapshot.get('one', Uint8Array.of(1))).toThrow(released)
    expect(() => snapshot.peek('one', Uint8Array.of(1))).toThrow(released)
    expect(() => snapshot.seek('one', Uint8Array.of(1))).toThrow(released)
    expect(() => [...snapshot.range('one')]).toThrow(released)
    expect(() => snapshot.retain()).toThrow(released)
    expect(() => snapshot.release()).toThrow(released)
    expect(withSnapshot(store, (fresh) => shown(fresh.range('one')))).toEqual(['01=01', '02=02', '03=03'])
  })

  test('finds history by one seek: under (key, ~block), the latest value at or before a block is the first entry at or after it', async () => {
    const store = create()
    const historyKey = (key: number, block: number): Buffer => {
      const bytes = Buffer.alloc(9, key)
      bytes.writeBigUInt64BE(2n ** 64n - 1n - BigInt(block), 1)
      return bytes
    }
    const batch = new WriteBatch<Table>()
    for (const [key, block] of [
      [1, 0],
      [1, 5],
      [1, 9],
      [2, 3],
    ] as const)
      batch.put('one', historyKey(key, block), Uint8Array.of(block))
    await store.commit(batch)
    const valueAt = (key: number, block: number): number | undefined =>
      withSnapshot(store, (snapshot) => {
        const found = snapshot.seek('one', historyKey(key, block))
        return found?.key[0] === key ? found.value[0] : undefined
      })
    expect([0, 4, 5, 8, 9, 1_000].map((block) => valueAt(1, block))).toEqual([0, 0, 5, 5, 9, 9])
    expect([2, 3, 4].map((block) => valueAt(2, block))).toEqual([undefined, 3, 3])
  })

  test('round-trips large and empty values, which the reader may keep', async () => {
    const store = create()
    const large = Buffer.alloc(300_000, 7)
    const batch = new WriteBatch<Table>()
    batch.put('one', Uint8Array.of(1), large)
    batch.put('one', Uint8Array.of(2), new Uint8Array(0))
    batch.put('one', Buffer.alloc(1_978, 9), Uint8Array.of(1))
    await store.commit(batch)
    const [first, empty] = withSnapshot(store, (snapshot) => [
      snapshot.get('one', Uint8Array.of(1)),
      snapshot.get('one', Uint8Array.of(2)),
      snapshot.get('one', Buffer.alloc(1_978, 9)),
    ])
    const change = new WriteBatch<Table>()
    change.put('one', Uint8Array.of(1), Buffer.alloc(300_000, 8))
    await store.commit(change)
    withSnapshot(store, (snapshot) => {
      expect(hex(snapshot.peek('one', Uint8Array.of(1))!)).toBe('08'.repeat(300_000))
      expect(snapshot.peek('one', Uint8Array.of(2))?.length).toBe(0)
      expect(hex(snapshot.peek('one', Buffer.alloc(1_978, 9))!)).toBe('01')
    })
    expect(Buffer.compare(first!, large)).toBe(0)
    expect(empty?.length).toBe(0)
  })

  test('rejects invalid keys in a batch, and any addition to a committed batch', async () => {
    const store = create()
    const batch = new WriteBatch<Table>()
    const invalid = expect.objectContaining({ code: 'INVALID_KEY' })
    expect(() => batch.put('one', new Uint8Array(0), Uint8Array.of(1))).toThrow(invalid)
    expect(() => batch.delete('one', new Uint8Array(1_979))).toThrow(invalid)
    await store.commit(batch)
    expect(() => batch.put('one', Uint8Array.of(1), Uint8Array.of(1))).toThrow('begin a new one')
  })
})

async function clear(store: KeyValueStore<Table>): Promise<void> {
  const batch = new WriteBatch<Table>()
  withSnapshot(store, (snapshot) => {
    for (const table of TABLES) for (const { key } of snapshot.range(table)) batch.delete(table, key)
  })
  await store.commit(batch)
}
