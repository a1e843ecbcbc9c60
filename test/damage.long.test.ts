import { spawnSync } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { expect, test } from 'vitest'
import { testSeed } from './support/test-seed.ts'

const MAIN = fileURLToPath(new URL('damage/main.mjs', import.meta.url))

test('a node on a damaged directory has everything, refuses to start, or refuses damaged reads only', {
  timeout: 300_000,
}, () => {
  const flags = ['--directories', '20', '--seed', `${testSeed}`, '--blocks', '12']
  const { status, stdout, stderr } = spawnSync(process.execPath, [MAIN, ...flags], { encoding: 'utf8' })

  expect(stdout, stderr).toMatch(new RegExp(`directories 20, seed ${testSeed}: .*failures 0`))
  expect(status).toBe(0)
})
