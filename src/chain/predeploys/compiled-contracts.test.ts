import { execFileSync } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { expect, test } from 'vitest'

const SCRIPT = fileURLToPath(new URL('../../../scripts/compile-contracts.mjs', import.meta.url))

test('the committed artifacts are what the contracts compile to', { timeout: 60_000 }, () => {
  const output = execFileSync(process.execPath, [SCRIPT, '--check'], { encoding: 'utf8' })
  expect(output.trim().split('\n')).toEqual([
    'same bytes: l2-to-l1-message-passer.json',
    'same bytes: stock-factory.json',
    'same bytes: stock-proxy.json',
    'same bytes: stock-token.json',
    'same bytes: weth9.json',
  ])
})
