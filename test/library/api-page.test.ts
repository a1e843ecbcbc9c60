import { spawnSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { expect, test } from 'vitest'

const root = fileURLToPath(new URL('../..', import.meta.url))

test('the generated pages are the output of `npm run docs`, and docs/api.md has the exported names and options', () => {
  const { status, stdout } = spawnSync(process.execPath, ['scripts/docs.mjs', '--check'], {
    cwd: root,
    encoding: 'utf8',
  })
  const page = readFileSync(`${root}/docs/api.md`, 'utf8')

  expect({ status, stdout }).toEqual({ status: 0, stdout: '' })
  for (const name of ['createNode', 'TickertapeNode', 'Provider', 'NodeError', 'NodeOptions', 'verifySupply']) {
    expect(page).toContain(`\n## ${name}\n`)
  }
  expect(page).toContain('\n  snapshot(): Promise<HexText>;')
  expect(page).toContain('| `chainId` | 31337 |')
})
