import { spawnSync } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { expect, test } from 'vitest'

const BENCH = fileURLToPath(new URL('../../scripts/bench.mjs', import.meta.url))

/** The full workload, with a thousand subscribers and slot times, is `npm run bench -- stalled`. */
test('slow consumers: 200 subscribers that never read cost no memory, and others receive everything', {
  timeout: 300_000,
}, () => {
  const options = ['stalled', '--sockets', '200', '--seconds', '6', '--rate', '60', '--allow-missed-slots']
  const limits = { encoding: 'utf8', timeout: 280_000 } as const
  const { status, stdout, stderr } = spawnSync(process.execPath, [BENCH, ...options], limits)
  expect({ status, stdout, stderr }).toMatchObject({ status: 0, stdout: expect.stringContaining('all goals reached') })
})
