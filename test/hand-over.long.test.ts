import { spawnSync } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { expect, test } from 'vitest'
import { hasNatsServer } from './support/nats.ts'

const MAIN = fileURLToPath(new URL('./failover/hand-over.mjs', import.meta.url))

/** `node test/failover/hand-over.mjs` measures the pause: ten hand-overs with 200 transactions per second. */
test.skipIf(!hasNatsServer)(
  '`cluster transfer` loses and refuses nothing under load, and changes nothing without a ready standby',
  { timeout: 180_000 },
  () => {
    const { status, stdout, stderr } = spawnSync(process.execPath, [MAIN, '--rounds', '2', '--rate', '50'], {
      encoding: 'utf8',
    })

    expect(stderr.split('\n').filter((line) => line.startsWith('fault:'))).toEqual([])
    const acknowledged = Number(/acknowledged (\d+),.* lost 0, faults 0/.exec(stdout)?.[1])
    expect(acknowledged).toBeGreaterThan(100)
    expect(status).toBe(0)
  },
)
