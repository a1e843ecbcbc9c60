import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { type KeyValueReader, type TableReplacement, withSnapshot } from '../key-value.ts'
import { openPageStore } from '../pages/page-store.ts'
import { WriteBatch } from '../write-batch.ts'
import { copyLmdbStore } from './lmdb-copy.ts'
import { type LmdbStoreOptions, openLmdbStore } from './lmdb-store.ts'

type Table = 'data' | 'metadata'
const COUNTER = Buffer.from('replacements')
const TABLES = {
  tables: ['data', 'metadata'],
  replaceable: { tables: ['data'], counter: { table: 'metadata', key: COUNTER } },
} satisfies Partial<LmdbStoreOptions<Table>>

function temporaryDirectory(): string {
  const directory = mkdtempSync(join(tmpdir(), 'table-replacer-'))
  onTestFinished(() => rmSync(directory, { recursive: true, force: true }))
  return directory
}

function opened(path: string, options: Partial<LmdbStoreOptions<Table>> = {}) {
  const store = openLmdbStore<Table>({ path, ...TABLES, ...options })
  onTestFinished(() => store.close())
  return store
}

function batchOf(value: string, count = 1): WriteBatch<Table> {
  const batch = new WriteBatch<Table>()
  for (let number = 0; number < count; number++) batch.put('data', Buffer.of(1, number), Buffer.from(value))
  return batch
}

function valuesIn(reader: KeyValueReader<Table>): readonly string[] {
  return Array.from(reader.range('data'), ({ value }) => Buffer.from(value).toString())
}

const valuesOf = (store: Pick<TableReplacement<Table>, 'snapshot'>) => withSnapshot(store, valuesIn)

test('fills other tables while the store reads and writes its own, and then replaces them at once', async () => {
  const store = opened(temporaryDirectory())
  await store.commit(batchOf('old', 3))
  const pinned = store.snapshot()

  const replacement = await store.replace!()
  await replacement.commit(batchOf('new'))
  expect(valuesOf(store)).toEqual(['old', 'old', 'old'])
  expect(valuesOf(replacement)).toEqual(['new'])
  await store.commit(batchOf('changed'))
  expect(valuesOf(store)).toEqual(['changed', 'old', 'old'])
  await replacement.complete(new WriteBatch())

  expect(valuesOf(store)).toEqual(['new'])
  expect(store.statistics().tables.data.entries).toBe(1)
  await store.commit(batchOf('newer'))
  expect(valuesOf(store)).toEqual(['newer'])
  expect(valuesIn(pinned)).toEqual(['old', 'old', 'old'])
})

test('a reader beside the writer, a copy and a reader without LMDB follow a replacement', async () => {
  const path = temporaryDirectory()
  const store = opened(path)
  await store.commit(batchOf('old'))
  const reader = opened(path, { readOnly: true })
  const pinned = reader.snapshot()
  const replacement = await store.replace!()
  await replacement.commit(batchOf('new', 2))
  const during = temporaryDirectory()
  await copyLmdbStore(path, during)
  expect(valuesOf(reader)).toEqual(['old'])
  await replacement.complete(new WriteBatch())

  expect(valuesOf(reader)).toEqual(['new', 'new'])
  expect(valuesIn(pinned)).toEqual(['old'])
  const afterwards = temporaryDirectory()
  await copyLmdbStore(path, afterwards)
  for (const [directory, values] of [
    [during, ['old']],
    [afterwards, ['new', 'new']],
  ] as const) {
    const stopped = openPageStore<Table>({ path: directory, ...TABLES })!
    onTestFinished(() => stopped.close())
    expect(valuesOf(stopped)).toEqual(values)
    expect(stopped.damagedParts()).toEqual([])
    expect(valuesOf(opened(directory))).toEqual(values)
  }
})

test('a database whose pages are not checked yet is read in the set that is in use', async () => {
  const path = temporaryDirectory()
  const store = opened(path)
  await store.commit(batchOf('old'))
  const replacement = await store.replace!()
  await replacement.commit(batchOf('new'))
  await replacement.complete(new WriteBatch())
  await store.close()

  const again = opened(path, { startCheckMs: 0 })

  expect(valuesOf(again)).toEqual(['new'])
  await again.commit(batchOf('newer'))
  expect(valuesOf(again)).toEqual(['newer'])
})

test('empties the tables that are not in use, after a replacement and at the next start', async () => {
  const path = temporaryDirectory()
  const store = opened(path)
  await store.commit(batchOf('old'))
  const completed = await store.replace!()
  await completed.complete(batchOf('new'))
  const interrupted = await store.replace!()
  expect(valuesOf(interrupted)).toEqual([])
  await interrupted.commit(batchOf('part'))
  await store.close()

  const again = opened(path)
  await expect.poll(() => openedEntries(path)).toEqual({ data: 0, 'data/2': 1 })

  expect(valuesOf(again)).toEqual(['new'])
})

/** Entries of both sets. */
function openedEntries(path: string): object {
  const store = openLmdbStore({ path, tables: ['data', 'data/2'], readOnly: true })
  const { tables } = store.statistics()
  void store.close()
  return { data: tables.data.entries, 'data/2': tables['data/2'].entries }
}
