import { expect } from '@playwright/test'
import { test } from './fixtures.js'

test('the first file sees the blocks of its own worker only', async ({ node, nodeUrl, request }) => {
  const before = Number(await node.request({ method: 'eth_blockNumber' }))
  await node.mine(1)

  const response = await request.post(nodeUrl, {
    data: { jsonrpc: '2.0', id: 1, method: 'eth_blockNumber', params: [] },
  })

  expect(Number((await response.json()).result)).toBe(before + 1)
})
