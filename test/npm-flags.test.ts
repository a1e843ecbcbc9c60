import { spawnSync } from 'node:child_process'
import { expect, test } from 'vitest'

/** Runs `npm start` with the environment in which npm runs the script. */
function start(settings: Readonly<Record<string, string>>) {
  const { status, stderr } = spawnSync(process.execPath, ['scripts/start.mjs'], {
    env: { ...process.env, ...settings },
    encoding: 'utf8',
  })
  return { status, stderr }
}

test.each([
  [{ npm_config_ephemeral: 'true' }, '--ephemeral'],
  [{ npm_config_fork_url: 'http://127.0.0.1:1', npm_config_port: '1' }, '--fork-url, --port'],
])('npm start refuses flags that npm kept for itself: %o', (settings, flags) => {
  const { status, stderr } = start(settings)

  expect(status).toBe(2)
  expect(stderr).toContain(`npm kept ${flags} for itself: write -- before the flags`)
})
