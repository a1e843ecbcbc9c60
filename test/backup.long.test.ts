import { spawn } from 'node:child_process'
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterAll, expect, test } from 'vitest'
// @ts-expect-error: a script without types
import { spawnNode } from '../scripts/support/node-process.mjs'
// @ts-expect-error: a script without types
import { load } from './crash/load.mjs'
// @ts-expect-error: a script without types
import { Promises } from './crash/promises.mjs'
import { ChainDirectories } from './support/chain-directory.ts'
import { runNode } from './support/compiled-program.ts'
import { testRandom } from './support/test-seed.ts'

const MAIN = fileURLToPath(new URL('../dist/bundle/main.js', import.meta.url))
const SCHEDULE = ['--block-time', '1000', '--flashblock-interval', '100']
/** From the start of the process to after the end of a backup on an idle machine. */
const KILL_WITHIN_MS = 1_500

const directories = new ChainDirectories()

afterAll(() => directories.remove())

/** Runs `tickertape` to its end, or kills it after `killAfterMs`. */
function run(parameters: readonly string[], killAfterMs?: number): Promise<{ readonly killed: boolean }> {
  return new Promise((resolve, reject) => {
    const child = spawn(process.execPath, [MAIN, ...parameters], { stdio: ['ignore', 'ignore', 'inherit'] })
    const timer = killAfterMs === undefined ? undefined : setTimeout(() => child.kill('SIGKILL'), killAfterMs)
    child.on('error', reject)
    child.on('close', (status, signal) => {
      clearTimeout(timer)
      if (signal === 'SIGKILL' || status === 0) resolve({ killed: signal === 'SIGKILL' })
      else reject(new Error(`tickertape ${parameters[0]} ended with ${status}`))
    })
  })
}

test('a backup taken under load restores everything promised before it began, whatever was killed on the way', {
  timeout: 300_000,
}, async () => {
  const random = testRandom()
  const datadir = directories.next()
  const backup = directories.next()
  const restored = directories.next()
  const promises = new Promises()
  let promised = promises
  const kinds: string[] = []

  for (let life = 0; life < 3; life += 1) {
    const node = await spawnNode(['--datadir', datadir, ...SCHEDULE])
    const loading = load(node, promises, random)
    for (let round = 0; round < 4; round += 1) {
      const full = round % 2 === 0 ? [] : ['--full', '--keep', '2']
      await run(['backup', backup, '--datadir', datadir, ...full], random() * KILL_WITHIN_MS)
      const before = promises.copy()
      const result = await runNode([MAIN, 'backup', backup, '--datadir', datadir, '--json', ...full])
      expect(result.status, result.errors).toBe(0)
      kinds.push(JSON.parse(result.output).kind)
      promised = before
    }
    node.child.kill('SIGKILL')
    await Promise.all([node.exited, loading])
  }
  await run(['restore', backup, '--datadir', restored], random() * KILL_WITHIN_MS)
  if (!existsSync(join(restored, 'main'))) await run(['restore', backup, '--datadir', restored])
  const node = await spawnNode(['--datadir', restored, ...SCHEDULE])
  await promised.check(node.rpc, { all: true })
  await node.stop()
  const verified = await runNode([MAIN, 'verify', '--datadir', restored])

  expect({ lost: promised.lost, withdrawn: promised.withdrawn }).toEqual({ lost: [], withdrawn: [] })
  expect(verified.errors.split('\n').filter((line) => line.startsWith('tickertape:'))).toEqual([])
  expect(verified.status).toBe(0)
  expect(promised.preconfirmed).toBeGreaterThan(50)
  expect(new Set(kinds)).toEqual(new Set(['full', 'incremental']))
})
