import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest'
import { type CompiledStorage, compileStorage } from '../../../test/support/compiled-storage.ts'
import { WriteBatch } from '../write-batch.ts'
import { openLmdbStore } from './lmdb-store.ts'

let compiled: CompiledStorage
beforeAll(() => {
  compiled = compileStorage()
})
afterAll(() => compiled.remove())

function temporaryDirectory(): string {
  const directory = mkdtempSync(join(tmpdir(), 'lmdb-processes-'))
  onTestFinished(() => rmSync(directory, { recursive: true, force: true }))
  return directory
}

const MEBIBYTE = 2 ** 20

test('reuses pages after a process that held a snapshot was killed', async () => {
  const path = temporaryDirectory()
  const store = openLmdbStore<'one'>({ path, tables: ['one'], sync: false })
  onTestFinished(() => store.close())
  const overwrite = async (times: number) => {
    for (let round = 0; round < times; round++) {
      const batch = new WriteBatch<'one'>()
      for (let key = 0; key < 256; key++) batch.put('one', Buffer.from([key]), Buffer.alloc(4_000, round))
      await store.commit(batch)
    }
    return store.statistics().fileBytes
  }
  await overwrite(1)
  const { status } = await compiled.run(
    ['lmdb/lmdb-store'],
    `const snapshot = openLmdbStore({ path: ${JSON.stringify(path)}, tables: ['one'], readOnly: true }).snapshot()
    console.log('held', snapshot.get('one', Buffer.from([1])).length)
    setInterval(() => snapshot.get('one', Buffer.from([1])), 1_000)`,
    { onOutput: (text, kill) => text.includes('held') && kill('SIGKILL') },
  )
  expect(status).toBe('SIGKILL')
  const before = await overwrite(5)
  expect((await overwrite(60)) - before).toBeLessThan(8 * MEBIBYTE)
})
