import { spawnSync } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { expect, test } from 'vitest'

const MAIN = fileURLToPath(new URL('./crash/main.mjs', import.meta.url))

/** The whole is `npm run test:crash`; it also limits the time that a recovery takes, on a machine with nothing else to do. */
test('20 kills of a node under load: nothing that clients were told is lost or withdrawn', { timeout: 180_000 }, () => {
  const { status, stdout, stderr } = spawnSync(process.execPath, [MAIN, '--kills', '20', '--recovery-limit', '30000'], {
    encoding: 'utf8',
  })
  expect(stderr.split('\n').filter((line) => /^(lost|withdrawn):/.test(line))).toEqual([])
  const found = /kills 20 \((\d+) inside .*acknowledged (\d+), pre-confirmed (\d+) .* lost 0, withdrawn 0/.exec(stdout)
  const [inside, acknowledged, preconfirmed] = found?.slice(1).map(Number) ?? expect.fail(`${stdout}${stderr}`)
  expect(inside).toBe(5)
  expect(acknowledged).toBeGreaterThan(200)
  expect(preconfirmed).toBeGreaterThan(100)
  expect(status).toBe(0)
})
