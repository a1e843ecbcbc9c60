import {
  chmodSync,
  copyFileSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  statSync,
  truncateSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest'
import { type CompiledStorage, compileStorage } from '../../../test/support/compiled-storage.ts'
import { lockDirectory } from '../directory-lock.ts'
import { disk } from '../disk.ts'
import { withSnapshot } from '../key-value.ts'
import { openSegmentLog } from '../segment-log.ts'
import { WriteBatch } from '../write-batch.ts'
import { type LmdbStoreOptions, openLmdbStore } from './lmdb-store.ts'

type Table = 'one' | 'two'
const TABLES: readonly Table[] = ['one', 'two']

let compiled: CompiledStorage
beforeAll(() => {
  compiled = compileStorage()
})
afterAll(() => compiled.remove())

function temporaryDirectory(): string {
  const directory = mkdtempSync(join(tmpdir(), 'lmdb-store-'))
  onTestFinished(() => rmSync(directory, { recursive: true, force: true }))
  return directory
}

function opened(path: string, options: Partial<LmdbStoreOptions<Table>> = {}) {
  const store = openLmdbStore<Table>({ path, tables: TABLES, ...options })
  onTestFinished(() => store.close())
  return store
}

const key = (number: number): Buffer => Buffer.from(number.toString(16).padStart(8, '0'), 'hex')

function filled(count: number, bytes: number, table: Table = 'one'): WriteBatch<Table> {
  const batch = new WriteBatch<Table>()
  for (let number = 0; number < count; number += 1) batch.put(table, key(number), Buffer.alloc(bytes, number))
  return batch
}

test('persists commits over closing and opening', async () => {
  const path = join(temporaryDirectory(), 'not', 'there', 'yet')
  const store = opened(path)
  await store.commit(filled(100, 50))
  await store.close()
  await expect(store.commit(filled(1, 1))).rejects.toMatchObject({ code: 'STORE_CLOSED' })
  expect(() => store.snapshot()).toThrow(expect.objectContaining({ code: 'STORE_CLOSED' }))
  const again = opened(path)
  expect(withSnapshot(again, (snapshot) => [...snapshot.range('one')].length)).toBe(100)
  expect(again.tableNames()).toEqual(['one', 'two'])
  const { tables, fileBytes } = again.statistics()
  expect(tables.one.entries).toBe(100)
  expect(tables.two).toEqual({ entries: 0, bytes: 0 })
  expect(fileBytes).toBeGreaterThan(tables.one.bytes)
})

test('releases open snapshots and iterators when it closes', async () => {
  const store = opened(temporaryDirectory())
  await store.commit(filled(10, 10))
  const snapshot = store.snapshot()
  const iterator = snapshot.range('one')[Symbol.iterator]()
  iterator.next()
  const commit = store.commit(filled(10, 20))
  await store.close()
  await commit
  expect(() => iterator.next()).toThrow(expect.objectContaining({ code: 'SNAPSHOT_RELEASED' }))
})

test('explains what to do when all reader slots are taken', async () => {
  const path = temporaryDirectory()
  const store = opened(path, { maxReaders: 4, sync: false })
  const held = []
  for (let count = 0; count < 4; count++) {
    await store.commit(filled(1, count))
    held.push(store.snapshot())
  }
  await store.commit(filled(1, 4))
  expect(() => store.snapshot()).toThrow(
    expect.objectContaining({ code: 'TOO_MANY_READERS', message: expect.stringContaining('--rpc-workers') }),
  )
  // Running readers and the writer continue.
  expect(held.map((snapshot) => snapshot.get('one', key(0))?.length)).toEqual([0, 1, 2, 3])
  await store.commit(filled(1, 5))
  held.shift()!.release()
  expect(withSnapshot(store, (snapshot) => snapshot.get('one', key(0))?.length)).toBe(5)
})

test('has reader slots for 64 RPC workers with long requests', async () => {
  const path = temporaryDirectory()
  const store = opened(path, { sync: false })
  const reader = opened(path, { readOnly: true })
  const perWorker = 25
  for (let count = 0; count < 64 * perWorker; count++) {
    await store.commit(filled(1, count % 100))
    reader.snapshot()
  }
  expect(reader.statistics().snapshots).toBe(64 * perWorker)
})

test('grows beyond the address space reserved at first, while a snapshot is held', async () => {
  const store = opened(temporaryDirectory(), { mapSize: 2 ** 20, sync: false })
  await store.commit(filled(10, 10))
  const snapshot = store.snapshot()
  for (let round = 0; round < 10; round += 1) await store.commit(filled(1_000, 4_000 + round))
  expect([...snapshot.range('one')].map(({ value }) => value.length)).toEqual(Array(10).fill(10))
  snapshot.release()
  expect(withSnapshot(store, (fresh) => [...fresh.range('one')].every(({ value }) => value.length === 4_009))).toBe(
    true,
  )
  expect(store.statistics().fileBytes).toBeGreaterThan(4 * 2 ** 20)
})

test('rejects a truncated data file without checksums when it opens, wherever it is cut', async () => {
  const path = temporaryDirectory()
  const store = openLmdbStore<Table>({ path, tables: TABLES })
  await store.commit(filled(500, 100))
  await store.commit(filled(3, 100_000, 'two'))
  await store.close()
  const file = join(path, 'data.mdb')
  const { size } = statSync(file)
  for (const length of [1, 100, 4_095, 4_096, 8_191, 8_192, 12_288, Math.floor(size / 2), size - 4_096, size - 1]) {
    const directory = temporaryDirectory()
    copyFileSync(file, join(directory, 'data.mdb'))
    truncateSync(join(directory, 'data.mdb'), length)
    expect(() => openLmdbStore({ path: directory, tables: TABLES }), `${length} bytes`).toThrow(
      expect.objectContaining({ code: 'TRUNCATED_DATABASE', offset: length }),
    )
  }
  expect(withSnapshot(opened(path), (snapshot) => [...snapshot.range('two')].length)).toBe(3)
})

test('accepts a file that lacks only free pages at its end', async () => {
  const path = temporaryDirectory()
  const store = openLmdbStore<Table>({ path, tables: TABLES })
  await store.commit(filled(3_000, 100))
  await store.commit(filled(3, 100_000, 'two'))
  await store.close()
  const file = join(path, 'data.mdb')
  const bytes = readFileSync(file)
  // As LMDB does after allocating and freeing a page within a commit: the last page is never written.
  for (const meta of [0, 4_096]) bytes.writeBigUInt64LE(bytes.readBigUInt64LE(meta + 144) + 1n, meta + 144)
  writeFileSync(file, bytes)
  rmSync(join(path, 'pages.sum'))
  const again = opened(path)
  expect(withSnapshot(again, (snapshot) => [...snapshot.range('one')].length)).toBe(3_000)
  await again.commit(filled(3_000, 200))
  await again.close()
  expect(withSnapshot(opened(path), (snapshot) => snapshot.get('one', key(2_999))?.length)).toBe(200)
})

test('rejects a file of another format', () => {
  const path = temporaryDirectory()
  writeFileSync(join(path, 'data.mdb'), 'x'.repeat(20_000))
  expect(() => openLmdbStore({ path, tables: TABLES })).toThrow(expect.objectContaining({ code: 'NOT_A_DATABASE' }))
})

test('read-only: creates nothing, reads missing tables as empty, rejects commits', async () => {
  const path = join(temporaryDirectory(), 'data')
  expect(() => openLmdbStore({ path, tables: TABLES, readOnly: true })).toThrow(
    expect.objectContaining({ code: 'DATABASE_MISSING' }),
  )
  const writer = openLmdbStore<'one'>({ path, tables: ['one'] })
  const batch = new WriteBatch<'one'>()
  batch.put('one', key(1), key(1))
  await writer.commit(batch)
  await writer.close()
  const reader = opened(path, { readOnly: true })
  expect(withSnapshot(reader, (snapshot) => snapshot.get('one', key(1)))).toEqual(key(1))
  expect(withSnapshot(reader, (snapshot) => [...snapshot.range('two')])).toEqual([])
  expect(withSnapshot(reader, (snapshot) => snapshot.seek('two', key(0)))).toBeUndefined()
  await expect(reader.commit(filled(1, 1))).rejects.toMatchObject({ code: 'READ_ONLY' })
})

test('shows commits to another process at once, beyond its reserved address space', async () => {
  const path = temporaryDirectory()
  const store = opened(path, { sync: false })
  await store.commit(filled(1, 1))
  const done: Promise<void>[] = []
  const { output, errors, status } = await compiled.run(
    ['lmdb/lmdb-store', 'key-value'],
    `const store = openLmdbStore({ path: ${JSON.stringify(path)}, tables: ['one', 'two'], readOnly: true, mapSize: 2 ** 20 })
    const count = () => withSnapshot(store, (snapshot) => [...snapshot.range('one')].length)
    console.log('before', count())
    while (count() === 1) await new Promise(setImmediate)
    console.log('after', count())
    await store.close()`,
    {
      onOutput: (text) => {
        if (text.includes('before') && done.length === 0) done.push(store.commit(filled(3_000, 4_000)))
      },
    },
  )
  expect(errors).toBe('')
  expect(output).toBe('before 1\nafter 3000\n')
  expect(status).toBe(0)
  await Promise.all(done)
})

test('has every batch whole or not at all after SIGKILL during commits, and all that resolved', async () => {
  const path = temporaryDirectory()
  const { output, status } = await compiled.run(
    ['lmdb/lmdb-store', 'write-batch'],
    `const store = openLmdbStore({ path: ${JSON.stringify(path)}, tables: ['one', 'two'] })
    for (let round = 0; ; round += 1) {
      const batch = new WriteBatch()
      for (let index = 0; index < 300; index += 1) batch.put(index % 2 ? 'one' : 'two', Buffer.from([index >> 8, index]), Buffer.alloc(200, round))
      await store.commit(batch)
      console.log(round)
    }`,
    { onOutput: (text, kill) => text.includes('\n20\n') && kill('SIGKILL') },
  )
  expect(status).toBe('SIGKILL')
  const last = Number(output.trim().split('\n').at(-1))
  const values = withSnapshot(opened(path), (snapshot) => [...snapshot.range('one'), ...snapshot.range('two')])
  expect(values.length).toBe(300)
  expect(new Set(values.map(({ value }) => value[0])).size).toBe(1)
  expect(values[0]!.value[0]).toBeGreaterThanOrEqual(last)
})

test('fails the commit and all later ones on a full disk, and keeps earlier ones', async () => {
  const path = temporaryDirectory()
  // A limit on file size stands for a full disk: the write fails either way.
  const { output, errors } = await compiled.run(
    ['lmdb/lmdb-store', 'write-batch', 'key-value'],
    `import { spawnSync } from 'node:child_process'
    process.on('SIGXFSZ', () => {})
    const store = openLmdbStore({ path: ${JSON.stringify(path)}, tables: ['one'] })
    const batchOf = (count, bytes) => {
      const batch = new WriteBatch()
      for (let index = 0; index < count; index += 1) batch.put('one', Buffer.from([1, index >> 8, index]), Buffer.alloc(bytes, 1))
      return batch
    }
    await store.commit(batchOf(10, 10))
    const limited = spawnSync('prlimit', ['--fsize=1000000', '--pid', String(process.pid)])
    if (limited.status !== 0) { console.log('no prlimit'); process.exit(0) }
    const results = await Promise.allSettled([store.commit(batchOf(1000, 4000)), store.commit(batchOf(1, 5))])
    results.push(...await Promise.allSettled([store.commit(batchOf(1, 6))]))
    console.log(results.map(({ reason }) => reason?.code).join())
    console.log(withSnapshot(store, (snapshot) => [...snapshot.range('one')].map(({ value }) => value.length).join()))
    await store.close()
    process.exit(0)`,
  )
  if (output === 'no prlimit\n') return void console.warn('skipped: prlimit is not there to limit the size of files')
  expect(output, errors).toBe(`COMMIT_FAILED,COMMIT_FAILED,COMMIT_FAILED\n${Array(10).fill(10).join()}\n`)
  expect(withSnapshot(opened(path), (snapshot) => [...snapshot.range('one')].length)).toBe(10)
})

test('explains what to do about a directory that is not writable', async () => {
  const directory = temporaryDirectory()
  const path = join(directory, 'closed')
  mkdirSync(path)
  chmodSync(directory, 0o755)
  chmodSync(path, 0o555)
  // Permissions do not apply to the superuser: drop privileges for a moment.
  const isSuperuser = process.getuid?.() === 0
  if (isSuperuser) process.seteuid!(65_534)
  try {
    const readOnly = expect.objectContaining({ code: 'READ_ONLY', message: expect.stringContaining('permissions') })
    expect(() => openLmdbStore({ path, tables: TABLES })).toThrow(readOnly)
    expect(() => openLmdbStore({ path: join(path, 'below'), tables: TABLES })).toThrow(readOnly)
    await expect(openSegmentLog({ directory: join(path, 'records') }, { fileSystem: disk })).rejects.toEqual(readOnly)
    await expect(lockDirectory(path, 'lock')).rejects.toEqual(readOnly)
  } finally {
    if (isSuperuser) process.seteuid!(0)
  }
})
