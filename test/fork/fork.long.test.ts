import { fileURLToPath } from 'node:url'
import { expect, test } from 'vitest'
import { runNode } from '../support/compiled-program.ts'

const SIZE = ['--accounts', '300', '--blocks', '40', '--transactions', '40', '--reads', '100']

test('a fork does and shows what the original does, also offline and with an upstream that fails', {
  timeout: 300_000,
}, async () => {
  const script = fileURLToPath(new URL('main.mjs', import.meta.url))

  const { status, output, errors } = await runNode([script, ...SIZE])

  expect({ status, errors }).toEqual({ status: 0, errors: '' })
  expect(output).toContain('Tickertape, failing upstream: ')
  expect(output).toMatch(/^passed$/m)
})
