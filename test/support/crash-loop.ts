import { spawnSync } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { expect } from 'vitest'
import { testSeed } from './test-seed.ts'

const MAIN = fileURLToPath(new URL('../crash/main.mjs', import.meta.url))

/**
 * Kills a node under load repeatedly, every fourth time inside a commit or a sync, and asserts that no acknowledged
 * transaction is lost and no pre-confirmation withdrawn. The bound of a recovery is for machines that do other work
 * too;
 * `npm run test:crash` has a strict one.
 */
export function crashLoop({
  kills,
  dev = false,
}: {
  readonly kills: number
  /** With state changes from outside, snapshots and reverts of a development node. */
  readonly dev?: boolean
}): void {
  const flags = ['--kills', `${kills}`, '--seed', `${testSeed}`, '--recovery-limit', '30000', ...(dev ? ['--dev'] : [])]
  const { status, stdout, stderr } = spawnSync(process.execPath, [MAIN, ...flags], { encoding: 'utf8' })

  expect(stderr.split('\n').filter((line) => /^(lost|withdrawn):/.test(line))).toEqual([])
  const found = /kills (\d+) \((\d+) inside .*acknowledged (\d+), pre-confirmed (\d+) .* lost 0, withdrawn 0/.exec(
    stdout,
  )
  const [killed, inside, acknowledged, preconfirmed] = found?.slice(1).map(Number) ?? expect.fail(`${stdout}${stderr}`)
  expect(killed).toBe(kills)
  expect(inside).toBe(Math.floor(kills / 4))
  expect(acknowledged).toBeGreaterThan(10 * kills)
  expect(preconfirmed).toBeGreaterThan((dev ? 1 : 5) * kills)
  expect(status).toBe(0)
}
