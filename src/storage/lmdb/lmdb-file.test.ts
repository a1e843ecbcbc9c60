import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest'
import { type CompiledStorage, compileStorage } from '../../../test/support/compiled-storage.ts'
import { checkDatabaseFile } from './lmdb-file.ts'

let compiled: CompiledStorage
beforeAll(() => {
  compiled = compileStorage()
})
afterAll(() => compiled.remove())

test('accepts a database that another process is writing', async () => {
  const path = mkdtempSync(join(tmpdir(), 'lmdb-file-'))
  onTestFinished(() => rmSync(path, { recursive: true, force: true }))
  let checks = 0
  let isWriting = true
  const checking = async () => {
    while (isWriting) {
      for (let count = 0; count < 100; count += 1) {
        checks += 1
        expect(['absent', 'sound']).toContain(checkDatabaseFile(path))
      }
      await new Promise(setImmediate)
    }
  }
  const writing = compiled
    .run(
      ['lmdb/lmdb-store', 'write-batch'],
      `const store = openLmdbStore({ path: ${JSON.stringify(path)}, tables: ['one'], sync: false })
      for (let round = 0; round < 400; round += 1) {
        const batch = new WriteBatch()
        for (let index = 0; index < 50; index += 1) batch.put('one', Buffer.from([round >> 8, round, index]), Buffer.alloc(1500))
        await store.commit(batch)
      }
      await store.close()`,
    )
    .finally(() => {
      isWriting = false
    })
  const [{ errors, status }] = await Promise.all([writing, checking()])
  expect(errors).toBe('')
  expect(status).toBe(0)
  expect(checks).toBeGreaterThan(0)
})
