import { copyFileSync, cpSync, mkdtempSync, readFileSync, rmSync, truncateSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, onTestFinished, test } from 'vitest'
import { damagePage, storedPages } from '../../../test/support/stored-pages.ts'
import { testRandom } from '../../../test/support/test-seed.ts'
import type { StoreDamage } from '../damage-monitor.ts'
import { type Entry, type KeyValueReader, withSnapshot } from '../key-value.ts'
import { type LmdbStoreOptions, openLmdbStore } from '../lmdb/lmdb-store.ts'
import { WriteBatch } from '../write-batch.ts'
import type { DamagedPart } from './check-pages.ts'
import { openPageStore } from './page-store.ts'

type Table = 'blocks' | 'state'
const TABLES: readonly Table[] = ['blocks', 'state']

function temporaryDirectory(): string {
  const directory = mkdtempSync(join(tmpdir(), 'pages-'))
  onTestFinished(() => rmSync(directory, { recursive: true, force: true }))
  return directory
}

function opened(path: string, options: Partial<LmdbStoreOptions<Table>> = {}) {
  const store = openLmdbStore<Table>({ path, tables: TABLES, sync: false, ...options })
  onTestFinished(() => store.close())
  return store
}

type RandomNumbers = ReturnType<typeof randomNumbers>

function randomNumbers(part: number) {
  const next = testRandom(part)
  return { below: (end: number) => Math.floor(next() * end) }
}

const key = (number: number): Buffer => Buffer.from(number.toString(16).padStart(8, '0'), 'hex')

/** A commit such as a block makes: appends to one table, random changes in the other, some values of several pages. */
function blockBatch(random: RandomNumbers, number: number): WriteBatch<Table> {
  const batch = new WriteBatch<Table>()
  const sizes = [100, 600, 3_000, 9_000]
  batch.put('blocks', key(number), Buffer.alloc(sizes[random.below(sizes.length)]!, number))
  for (let change = 0; change < 60; change++) {
    const item = key(random.below(4_000))
    if (random.below(4) === 0) batch.delete('state', item)
    else batch.put('state', item, Buffer.alloc(random.below(120), change))
  }
  return batch
}

/** A closed database of many commits. */
async function filledDirectory(commits = 60): Promise<string> {
  const path = temporaryDirectory()
  const store = openLmdbStore<Table>({ path, tables: TABLES, sync: false })
  const random = randomNumbers(7)
  for (let number = 0; number < commits; number++) await store.commit(blockBatch(random, number))
  await store.close()
  return path
}

function content(reader: KeyValueReader<Table>): Record<Table, string[]> {
  const all = (table: Table) =>
    [...reader.range(table)].map((entry) => `${Buffer.from(entry.key).toString('hex')}:${crc(entry.value)}`)
  return { blocks: all('blocks'), state: all('state') }
}

const crc = (bytes: Uint8Array): string => `${bytes.length}/${bytes[0] ?? ''}`

function copyOf(path: string): string {
  const copy = temporaryDirectory()
  cpSync(path, copy, { recursive: true })
  return copy
}

function change(path: string, file: string, edit: (bytes: Buffer) => void): void {
  const bytes = readFileSync(join(path, file))
  edit(bytes)
  writeFileSync(join(path, file), bytes)
}

const flip = (offset: number) => (bytes: Buffer) => {
  bytes[offset]! ^= 0x10
}

/** A page of a table that is not at the table's end. */
function pageOf(path: string, table: Table, kind: DamagedPart['kind']): number {
  const found = storedPages(path).find((part) => part.table === table && part.kind === kind && part.to !== undefined)
  return found!.pages[0]!
}

describe('page checksums', () => {
  test('cover every page in use after each commit', async () => {
    const path = temporaryDirectory()
    const store = opened(path)
    const random = randomNumbers(11)
    for (let number = 0; number < 80; number++) {
      await store.commit(blockBatch(random, number))

      const pages = openPageStore<Table>({ path, tables: TABLES })!
      expect(content(withSnapshot(pages, (reader) => reader))).toEqual(withSnapshot(store, content))
      expect(pages.damagedParts()).toEqual([])
      await pages.close()
    }
  })

  test('are written anew when the file has grown, with the same content', async () => {
    const path = temporaryDirectory()
    const store = opened(path)
    for (let round = 0; round < 400; round++) {
      const batch = new WriteBatch<Table>()
      for (let index = 0; index < 100; index++) batch.put('blocks', key(index), Buffer.alloc(4_000, round))
      await store.commit(batch)
    }
    await store.close()

    expect(readFileSync(join(path, 'pages.sum')).length).toBeLessThan(400 * 100 * 8)
    expect(withSnapshot(opened(path), content).blocks).toHaveLength(100)
  })

  test('a database whose process ended between a commit and its checksums has the commit', async () => {
    const path = temporaryDirectory()
    const store = opened(path)
    const random = randomNumbers(3)
    for (let number = 0; number < 30; number++) await store.commit(blockBatch(random, number))
    const before = readFileSync(join(path, 'pages.sum'))
    await store.commit(blockBatch(random, 30))
    const expected = withSnapshot(store, content)
    await store.close()
    const after = readFileSync(join(path, 'pages.sum'))

    for (const length of [before.length, before.length + 1, before.length + 20, after.length - 1]) {
      const copy = copyOf(path)
      truncateSync(join(copy, 'pages.sum'), length)
      const again = opened(copy)
      expect(withSnapshot(again, content)).toEqual(expected)
      await again.commit(blockBatch(random, 31))
      await again.close()
      expect(withSnapshot(opened(copy), content).blocks).toHaveLength(32)
    }
  })

  test('an older copy of either file is refused', async () => {
    const path = temporaryDirectory()
    const store = opened(path)
    const random = randomNumbers(5)
    const old = temporaryDirectory()
    for (let number = 0; number < 20; number++) {
      if (number === 10) for (const file of ['data.mdb', 'pages.sum']) copyFileSync(join(path, file), join(old, file))
      await store.commit(blockBatch(random, number))
    }
    await store.close()

    for (const file of ['data.mdb', 'pages.sum']) {
      const copy = copyOf(path)
      copyFileSync(join(old, file), join(copy, file))
      expect(() => opened(copy)).toThrow(expect.objectContaining({ code: 'STORE_DAMAGED' }))
    }
  })
})

describe('a database with damaged pages', () => {
  test('is refused when it opens, or holds everything, whichever bit is flipped', async () => {
    const path = await filledDirectory()
    const sound = opened(copyOf(path))
    const expected = withSnapshot(sound, content)
    const random = randomNumbers(13)
    const { length } = readFileSync(join(path, 'data.mdb'))
    let refused = 0
    for (let round = 0; round < 150; round++) {
      const copy = copyOf(path)
      change(copy, 'data.mdb', flip(random.below(length)))
      try {
        const store = openLmdbStore<Table>({ path: copy, tables: TABLES, sync: false })
        expect(withSnapshot(store, content)).toEqual(expected)
        await store.close()
      } catch (error) {
        expect(error).toMatchObject({ code: 'STORE_DAMAGED' })
        refused += 1
      }
      rmSync(copy, { recursive: true })
    }
    expect(refused).toBeGreaterThan(10)
  })

  test('names the table in the error', async () => {
    const path = await filledDirectory()
    damagePage(path, pageOf(path, 'state', 'leaf'))

    expect(() => opened(path)).toThrow(
      expect.objectContaining({ message: expect.stringContaining('table state (1 page)') }),
    )
  })

  test('answers reads of intact pages and rejects commits while the check runs and after it', async () => {
    const path = await filledDirectory()
    damagePage(path, pageOf(path, 'state', 'leaf'))
    const store = opened(path, { startCheckMs: 0 })

    const reader = opened(path, { readOnly: true })
    for (const each of [store, reader]) {
      const snapshot = each.snapshot()
      expect([...snapshot.range('blocks')]).toHaveLength(60)
      expect(() => [...snapshot.range('state')]).toThrow(expect.objectContaining({ code: 'DATA_DAMAGED' }))
      snapshot.release()
    }
    await expect(store.commit(blockBatch(randomNumbers(1), 60))).rejects.toMatchObject({ code: 'STORE_DAMAGED' })
    expect(store.damage?.failure).toMatchObject({ code: 'STORE_DAMAGED' })
  })

  test('stays usable without damaged entries of an expendable table', async () => {
    const path = await filledDirectory(400)
    damagePage(path, pageOf(path, 'blocks', 'leaf'))
    const store = opened(path, { expendable: ['blocks'], startCheckMs: 60_000 })
    const reader = opened(path, { readOnly: true })

    expect([...store.damage!.tables]).toEqual(['blocks'])
    for (const each of [store, reader]) {
      const read = (number: number) => withSnapshot(each, (snapshot) => snapshot.get('blocks', key(number)))
      const results = Array.from({ length: 400 }, (_, number) => {
        try {
          return read(number) === undefined ? 'absent' : 'value'
        } catch (error) {
          return (error as { readonly code: string }).code
        }
      })
      expect(results).not.toContain('absent')
      expect(results.filter((result) => result === 'DATA_DAMAGED').length).toBeGreaterThan(0)
      expect(results.filter((result) => result === 'value').length).toBeGreaterThan(350)
    }
    await store.commit(blockBatch(randomNumbers(1), 400))
    expect(withSnapshot(reader, (snapshot) => snapshot.get('blocks', key(400)))).toBeDefined()
  })

  test('refuses a deletion from a damaged table', async () => {
    const path = await filledDirectory(400)
    damagePage(path, pageOf(path, 'blocks', 'leaf'))
    const store = opened(path, { expendable: ['blocks'] })
    const batch = new WriteBatch<Table>()
    batch.delete('blocks', key(399))

    await expect(store.commit(batch)).rejects.toMatchObject({ code: 'STORE_DAMAGED' })
  })
})

describe('the check in the background', () => {
  test('reads page by page as through LMDB, in every direction and range', async () => {
    const path = await filledDirectory()
    const store = opened(path, { startCheckMs: 0 })
    const early = store.snapshot()
    const pages = openPageStore<Table>({ path, tables: TABLES })!.snapshot()
    await store.commit(blockBatch(randomNumbers(2), 60))

    const random = randomNumbers(17)
    const texts = (entries: Iterable<Entry>) =>
      [...entries].map(({ key: at, value }) => Buffer.concat([at, value]).toString('hex'))
    for (let round = 0; round < 300; round++) {
      const [low, high] = [random.below(4_100), random.below(4_100)]
      const bounds = [
        { from: key(low), to: key(high) },
        { from: key(low) },
        { to: key(high) },
        { from: key(low), to: key(high), reverse: true },
        { to: key(high), reverse: true, limit: 3 },
        { reverse: true, limit: 1 + random.below(2_000) },
      ]
      const range = bounds[random.below(bounds.length)]!
      expect(texts(pages.range('state', range))).toEqual(texts(early.range('state', range)))
      expect(pages.seek('state', key(low))).toEqual(early.seek('state', key(low)))
      expect(pages.get('state', key(low))).toEqual(early.get('state', key(low)))
    }
    early.release()
  })

  test('lets a commit wait until all pages are compared', async () => {
    const path = await filledDirectory()
    const store = opened(path, { startCheckMs: 0 })
    const before = withSnapshot(store, content)

    await store.commit(blockBatch(randomNumbers(2), 60))

    expect(withSnapshot(store, content).blocks).toEqual([...before.blocks, expect.stringMatching(/^0000003c/)])
  })

  test('ends when the store closes; a commit that waits for it is rejected and nothing is written', async () => {
    const path = await filledDirectory()
    const store = opened(path, { startCheckMs: 0 })
    const commit = store.commit(blockBatch(randomNumbers(2), 60))
    const rejected = expect(commit).rejects.toMatchObject({ code: 'STORE_CLOSED' })

    await store.close()

    await rejected
    expect(withSnapshot(opened(path), content).blocks).toHaveLength(60)
  })
})

describe('scrubbing', () => {
  const damaged = (store: ReturnType<typeof opened>) =>
    new Promise<StoreDamage>((resolve) => {
      store.damage!.listen(resolve)
    })

  test('finds damage that came after the start, tells readers, and keeps running without expendable entries', async () => {
    const path = await filledDirectory(400)
    const store = opened(path, { expendable: ['blocks'], scrubBytesPerSecond: 2 ** 30 })
    const reader = opened(path, { readOnly: true })
    const page = pageOf(path, 'blocks', 'leaf')
    const found = damaged(store)

    damagePage(path, page)

    expect(await found).toMatchObject({ tables: new Set(['blocks']), failure: undefined })
    for (const each of [store, reader]) {
      expect(() => withSnapshot(each, content)).toThrow(expect.objectContaining({ code: 'DATA_DAMAGED' }))
    }
    await store.commit(blockBatch(randomNumbers(1), 400))
  })

  test('ends the use of a store when other tables are damaged', async () => {
    const path = await filledDirectory()
    const store = opened(path, { expendable: ['blocks'], scrubBytesPerSecond: 2 ** 30 })
    const page = pageOf(path, 'state', 'leaf')
    const found = damaged(store)

    damagePage(path, page)

    expect((await found).failure).toMatchObject({ code: 'STORE_DAMAGED' })
  })

  test('takes no page for damaged that a commit is writing', async () => {
    const path = temporaryDirectory()
    const store = opened(path, { scrubBytesPerSecond: 2 ** 40 })
    const random = randomNumbers(19)

    for (let number = 0; number < 300; number++) await store.commit(blockBatch(random, number))

    expect(store.damage).toMatchObject({ tables: new Set(), failure: undefined })
  })
})
