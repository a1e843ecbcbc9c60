import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest'
import { createNode } from '../../src/library/create-node.ts'
import { type ForkedNode, startForkedNode } from '../support/forked-node.ts'

const HEIGHT = 4

let upstream: ForkedNode
beforeAll(async () => {
  upstream = await startForkedNode()
})
afterAll(() => upstream.close())

async function start(): Promise<string> {
  upstream.proxy.faults = []
  const forkUrl = upstream.proxy.url
  const node = await createNode({ forkUrl, forkBlockNumber: HEIGHT, noForkCache: true, forkRetries: 0, mining: 'auto' })
  onTestFinished(() => node.close())
  return (await node.listen()).url
}

const list = (url: string, block: string) => fetch(`${url}/v1/tokenized-stocks?block=${block}`)

test('lists stocks at a block below the fork block, by number and by hash', async () => {
  const url = await start()
  const { hash } = (await upstream.node.result('eth_getBlockByNumber', '0x2', false)) as { hash: string }

  for (const reference of ['0x2', hash]) {
    const response = await list(url, reference)
    expect({ status: response.status, body: await response.json() }).toMatchObject({ status: 200 })
  }
  expect((await list(url, `0x${'12'.repeat(32)}`)).status).toBe(404)
})

test('answers 503 with the failure of the other node', async () => {
  const url = await start()
  upstream.proxy.faults = Array.from({ length: 100 }, () => 'reset' as const)

  const response = await list(url, '0x2')

  expect(response.status).toBe(503)
  expect(await response.text()).toMatch(/127\.0\.0\.1.* cannot be reached for eth_/)
})
