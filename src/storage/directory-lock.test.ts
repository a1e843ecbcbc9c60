import { existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest'
import { type CompiledStorage, compileStorage } from '../../test/support/compiled-storage.ts'
import { lockDirectory } from './directory-lock.ts'

let compiled: CompiledStorage
beforeAll(() => {
  compiled = compileStorage()
})
afterAll(() => compiled.remove())

function temporaryDirectory(): string {
  const directory = mkdtempSync(join(tmpdir(), 'directory-lock-'))
  onTestFinished(() => rmSync(directory, { recursive: true, force: true }))
  return directory
}

/** Longer than the 108 bytes of a socket address. */
function deepDirectory(): string {
  const directory = join(temporaryDirectory(), ...Array<string>(4).fill('a-name-of-thirty-characters---'))
  mkdirSync(directory, { recursive: true })
  return directory
}

const inUse = { code: 'DIRECTORY_IN_USE', message: expect.stringContaining('stop that one') }

test.each([
  ['a short path', temporaryDirectory],
  ['a path longer than a socket address', deepDirectory],
])('admits one holder at a time, by %s', async (_, create) => {
  const directory = create()
  const lock = await lockDirectory(directory, 'lock')
  await expect(lockDirectory(directory, 'lock')).rejects.toMatchObject({
    code: 'DIRECTORY_IN_USE',
    message: expect.stringContaining(`in use by another process (process ${process.pid}): stop that one`),
  })
  const other = await lockDirectory(create(), 'lock')
  await other.release()
  await lock.release()
  const again = await lockDirectory(directory, 'lock')
  await again.release()
  expect(existsSync(join(directory, 'lock'))).toBe(false)
})

test.each([
  ['a short path', temporaryDirectory],
  ['a path longer than a socket address', deepDirectory],
])('refuses a second process until the first is killed, by %s', { timeout: 30_000 }, async (_, create) => {
  const directory = create()
  const program = `await lockDirectory(${JSON.stringify(directory)}, 'lock').then(
    () => console.log('locked'), (error) => { console.log(error.code); process.exit(7) })`
  const lock = await lockDirectory(directory, 'lock')
  expect(await compiled.run(['directory-lock'], program)).toMatchObject({ output: 'DIRECTORY_IN_USE\n', status: 7 })
  await lock.release()
  const refused: Promise<void>[] = []
  const holder = await compiled.run(['directory-lock'], `${program}; setInterval(() => {}, 1_000)`, {
    onOutput: (_output, kill) => {
      refused.push(
        expect(lockDirectory(directory, 'lock'))
          .rejects.toMatchObject(inUse)
          .finally(() => kill('SIGKILL')),
      )
    },
  })
  await Promise.all(refused)
  expect(holder).toMatchObject({ output: 'locked\n', status: 'SIGKILL' })
  expect(existsSync(join(directory, 'lock'))).toBe(true)
  await (await lockDirectory(directory, 'lock')).release()
})

test('admits at most one of many processes that find a dead lock at once', { timeout: 30_000 }, async () => {
  for (let round = 0; round < 3; round += 1) {
    const directory = temporaryDirectory()
    await compiled.run(
      ['directory-lock'],
      `await lockDirectory(${JSON.stringify(directory)}, 'lock'); process.kill(process.pid, 'SIGKILL')`,
    )
    expect(existsSync(join(directory, 'lock'))).toBe(true)
    const results = await Promise.allSettled(Array.from({ length: 20 }, () => lockDirectory(directory, 'lock')))
    const locks = results.flatMap((result) => (result.status === 'fulfilled' ? [result.value] : []))
    expect(locks.length).toBe(1)
    await expect(lockDirectory(directory, 'lock')).rejects.toMatchObject(inUse)
    await locks[0]!.release()
  }
})

test('does not remove a file that is not a socket', async () => {
  const directory = temporaryDirectory()
  writeFileSync(join(directory, 'lock'), 'mine')
  await expect(lockDirectory(directory, 'lock')).rejects.toMatchObject({ code: 'NOT_OUR_DIRECTORY' })
  expect(existsSync(join(directory, 'lock'))).toBe(true)
})

test('does not keep the process running', async () => {
  const result = await compiled.run(
    ['directory-lock'],
    `await lockDirectory(${JSON.stringify(temporaryDirectory())}, 'lock'); console.log('done')`,
  )
  expect(result).toMatchObject({ output: 'done\n', status: 0 })
})
