import { spawnSync } from 'node:child_process'
import { existsSync, mkdtempSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import type { Hash } from '../../primitives/hex.ts'
import { SharedCache } from '../../storage/lmdb/shared-cache.ts'
import { CacheDirectory } from './cache-directory.ts'
import { OpenCaches } from './open-caches.ts'

const MEBIBYTE = 2 ** 20
const KEY = Buffer.from('key')
const VALUE = Buffer.from('value')

function temporaryDirectory(): string {
  const directory = mkdtempSync(join(tmpdir(), 'open-caches-'))
  onTestFinished(() => rmSync(directory, { recursive: true, force: true }))
  return directory
}

function setUp() {
  const path = temporaryDirectory()
  const caches = new OpenCaches()
  let opened = 0
  const use = () =>
    caches.use(path, () => {
      opened += 1
      return new SharedCache({ path, maxBytes: 64 * MEBIBYTE, version: '1' })
    })
  return { path, caches, use, opened: () => opened }
}

test('two users of a path share one cache, which stays open until both have closed it', async () => {
  const { path, caches, use, opened } = setUp()
  const [first, second] = [await use(), await use()]
  first.put(KEY, VALUE)
  expect(second.get(KEY)).toEqual(VALUE)

  await first.close()

  expect(opened()).toBe(1)
  expect(caches.has(path)).toBe(true)
  expect(second.get(KEY)).toEqual(VALUE)
  await second.close()
  expect(caches.has(path)).toBe(false)
})

test('a use that was closed has no values, keeps none, and ends only once', async () => {
  const { use } = setUp()
  const [first, second] = [await use(), await use()]
  first.put(KEY, VALUE)
  await Promise.all([first.close(), first.close()])

  first.put(KEY, Buffer.from('other'))

  expect(first.get(KEY)).toBeUndefined()
  expect(first.bytes).toBe(0)
  expect(second.get(KEY)).toEqual(VALUE)
  await second.close()
})

test('a path is opened again when its cache is closed, with the values put before', async () => {
  const { use, opened } = setUp()
  const first = await use()
  first.put(KEY, VALUE)

  const closing = first.close()
  const [second, third] = await Promise.all([use(), use()])

  await closing
  expect(opened()).toBe(2)
  expect(second.get(KEY)).toEqual(VALUE)
  await second.close()
  expect(third.get(KEY)).toEqual(VALUE)
  await third.close()
})

function startDirectory() {
  const path = temporaryDirectory()
  const place = (number: number) => ({ chainId: 1n, number, hash: `0x${String(number).repeat(64)}` as Hash })
  const fileOf = (number: number, name = 'data.mdb') => join(path, '1', `${number}-${String(number).repeat(16)}`, name)
  return { path, directory: new CacheDirectory({ path, maxBytes: 4_096 }), place, fileOf }
}

test('a directory of caches removes unused ones beyond its size, and none that is open', async () => {
  const { directory, place, fileOf } = startDirectory()
  const open = await directory.open(place(1))
  const unused = await directory.open(place(2))
  for (const cache of [open, unused]) cache.putReply('a', [], 'x'.repeat(10_000))
  await unused.close()

  const newest = await directory.open(place(3))

  expect(existsSync(fileOf(1))).toBe(true)
  expect(existsSync(fileOf(2))).toBe(false)
  expect(open.reply('a', [])).toBe('x'.repeat(10_000))
  await open.close()
  await newest.close()
})

test('a directory of caches keeps those that a running process has open, and none of an ended one', async () => {
  const { directory, place, fileOf } = startDirectory()
  for (const number of [1, 2]) {
    const cache = await directory.open(place(number))
    cache.putReply('a', [], 'x'.repeat(10_000))
    expect(existsSync(fileOf(number, `user-${process.pid}`))).toBe(true)
    await cache.close()
    const pid = number === 1 ? process.ppid : spawnSync(process.execPath, ['--version']).pid
    writeFileSync(fileOf(number, `user-${pid}`), '')
  }

  await (await directory.open(place(3))).close()

  expect(existsSync(fileOf(1))).toBe(true)
  expect(existsSync(fileOf(2))).toBe(false)
})

test('the cache that is opened counts towards the size of its directory', async () => {
  const { path, place, fileOf } = startDirectory()
  const large = new CacheDirectory({ path, maxBytes: MEBIBYTE })
  for (const number of [1, 2]) await (await large.open(place(number))).close()
  const bytes = statSync(fileOf(1)).size + statSync(fileOf(2)).size
  const exact = new CacheDirectory({ path, maxBytes: bytes })
  const tight = new CacheDirectory({ path, maxBytes: bytes - 1 })

  await (await exact.open(place(1))).close()
  expect(existsSync(fileOf(2))).toBe(true)
  await (await tight.open(place(1))).close()
  expect(existsSync(fileOf(2))).toBe(false)
})
