import { execFileSync } from 'node:child_process'
import { expect, test } from 'vitest'
import { snippetOf } from './request-snippets.ts'

const request = { url: 'http://127.0.0.1:8545/', method: 'eth_call', params: [{ data: "0x'$(id)`\\" }, 'latest'] }

test('a curl command passes the parameters unchanged through a shell', () => {
  const command = snippetOf('curl', request).replace(/^curl/, "printf '%s\\n'")
  const lines = execFileSync('sh', ['-c', command], { encoding: 'utf8' }).trimEnd().split('\n')
  expect(lines.slice(0, 2)).toEqual(['-s', request.url])
  expect(JSON.parse(lines.at(-1)!)).toEqual({ jsonrpc: '2.0', id: 1, method: request.method, params: request.params })
})

test('code has the parameters as JSON', () => {
  expect(snippetOf('viem', request)).toContain(`params: ${JSON.stringify(request.params)}`)
  expect(snippetOf('ethers', request)).toContain(`provider.send("eth_call", ${JSON.stringify(request.params)})`)
})
