import { spawnSync } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { expect, test } from 'vitest'
import { hasNatsServer } from './support/nats.ts'

const MAIN = fileURLToPath(new URL('./failover/main.mjs', import.meta.url))

/** The full test is `npm run test:failover`: with three NATS servers that are killed and suspended, too. */
test.skipIf(!hasNatsServer)(
  'a leader is killed, another one frozen: nothing acknowledged is lost, nothing pre-confirmed withdrawn, one chain',
  { timeout: 180_000 },
  () => {
    const kinds = ['--servers', '1', '--rounds', '2', '--kinds', 'kill-leader,freeze-leader']
    const { status, stdout, stderr } = spawnSync(process.execPath, [MAIN, ...kinds], { encoding: 'utf8' })
    expect(stderr.split('\n').filter((line) => line.startsWith('fault:'))).toEqual([])
    const found = /acknowledged (\d+), flashblocks seen and kept (\d+).* lost 0, withdrawn 0, faults 0/.exec(stdout)
    const [acknowledged, flashblocks] = found?.slice(1).map(Number) ?? expect.fail(`${stdout}${stderr}`)
    expect(acknowledged).toBeGreaterThan(20)
    expect(flashblocks).toBeGreaterThan(20)
    expect(status).toBe(0)
  },
)
