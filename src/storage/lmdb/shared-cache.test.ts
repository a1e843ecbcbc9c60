import { once } from 'node:events'
import { mkdtempSync, readFileSync, rmSync, truncateSync, watch, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest'
import { type CompiledStorage, compileStorage } from '../../../test/support/compiled-storage.ts'
import { MemoryCache } from '../byte-cache.ts'
import { isInUse, SharedCache, type SharedCacheOptions } from './shared-cache.ts'

let compiled: CompiledStorage
beforeAll(() => {
  compiled = compileStorage()
})
afterAll(() => compiled.remove())

const MEBIBYTE = 2 ** 20
const key = (text: string) => Buffer.from(text)

function temporaryDirectory(): string {
  const directory = mkdtempSync(join(tmpdir(), 'shared-cache-'))
  onTestFinished(() => rmSync(directory, { recursive: true, force: true }))
  return directory
}

function openCache(options: Partial<SharedCacheOptions> = {}): SharedCache {
  return new SharedCache({ path: temporaryDirectory(), maxBytes: 64 * MEBIBYTE, version: '1', ...options })
}

describe('SharedCache', () => {
  test('a value is visible at once, and after a restart', async () => {
    const path = temporaryDirectory()
    const cache = openCache({ path })
    cache.put(key('a'), Buffer.from('one'))
    expect(cache.get(key('a'))).toEqual(Buffer.from('one'))
    await cache.flush()
    expect(cache.get(key('a'))).toEqual(Buffer.from('one'))
    await cache.close()

    const again = openCache({ path })
    expect(again.get(key('a'))).toEqual(Buffer.from('one'))
    expect(again.get(key('b'))).toBeUndefined()
    await again.close()
  })

  test('processes share their values', async () => {
    const path = temporaryDirectory()
    const cache = openCache({ path })
    cache.put(key('here'), Buffer.from('from the test'))
    await cache.flush()
    const { output } = await compiled.run(
      ['lmdb/shared-cache'],
      `const cache = new SharedCache(${JSON.stringify({ path, maxBytes: 64 * MEBIBYTE, version: '1' })})
      console.log(cache.get(Buffer.from('here')).toString())
      cache.put(Buffer.from('there'), Buffer.from('from the other process'))
      await cache.close()`,
    )
    expect(output).toContain('from the test')
    expect(cache.get(key('there'))?.toString()).toBe('from the other process')
    await cache.close()
  })

  test('the size stays bounded, and values in use stay', async () => {
    const cache = openCache({ maxBytes: 2 * MEBIBYTE })
    cache.put(key('used'), Buffer.alloc(100, 1))
    for (let index = 0; index < 2_000; index++) {
      cache.put(key(`value ${index}`), Buffer.alloc(3_000, index))
      if (index % 20 === 0) {
        await cache.flush()
        expect(cache.get(key('used'))?.[0]).toBe(1)
      }
    }
    await cache.flush()
    expect(cache.bytes).toBeLessThan(3 * MEBIBYTE)
    expect(cache.get(key('value 0'))).toBeUndefined()
    expect(cache.get(key('value 1999'))).toHaveLength(3_000)
    await cache.close()
  })

  test('a cache of another form is emptied', async () => {
    const path = temporaryDirectory()
    const before = openCache({ path })
    before.put(key('a'), Buffer.from('one'))
    await before.close()
    const after = openCache({ path, version: '2' })
    expect(after.get(key('a'))).toBeUndefined()
    await after.close()
  })

  test('a damaged value counts as missing', async () => {
    const path = temporaryDirectory()
    const before = openCache({ path })
    before.put(key('a'), Buffer.from('an unmistakable value'))
    await before.close()
    const file = join(path, 'data.mdb')
    const content = readFileSync(file)
    for (let at = content.indexOf('unmistakable'); at !== -1; at = content.indexOf('unmistakable', at)) content[at] = 0
    writeFileSync(file, content)
    const after = openCache({ path })
    expect(after.get(key('a'))).toBeUndefined()
    await after.close()
  })

  test('a directory is in use before its files are there, so that no other process removes them', async () => {
    const path = temporaryDirectory()
    const watcher = watch(path)
    onTestFinished(() => watcher.close())
    const change = once(watcher, 'change')

    const cache = openCache({ path })

    const [, firstName] = await change
    expect(firstName).toBe(`user-${process.pid}`)
    expect(isInUse(path)).toBe(true)
    await cache.close()
  })

  test('a directory that another process has removed is not in use', () => {
    expect(isInUse(join(temporaryDirectory(), 'removed'))).toBe(false)
  })

  test('a truncated file is replaced', async () => {
    const path = temporaryDirectory()
    const before = openCache({ path })
    for (let index = 0; index < 100; index++) before.put(key(`value ${index}`), Buffer.alloc(3_000))
    await before.close()
    truncateSync(join(path, 'data.mdb'), 20_000)
    const after = openCache({ path })
    expect(after.get(key('value 50'))).toBeUndefined()
    after.put(key('a'), Buffer.from('one'))
    await after.close()
  })
})

describe('MemoryCache', () => {
  test('the least recently used values go when the size is reached', () => {
    const cache = new MemoryCache({ maxBytes: 10_000 })
    cache.put(key('used'), Buffer.alloc(100))
    for (let index = 0; index < 20; index++) {
      cache.put(key(`value ${index}`), Buffer.alloc(1_000))
      expect(cache.get(key('used'))).toHaveLength(100)
    }
    expect(cache.get(key('value 0'))).toBeUndefined()
    expect(cache.get(key('value 19'))).toHaveLength(1_000)
    expect(cache.bytes).toBeLessThanOrEqual(10_000)
  })
})
