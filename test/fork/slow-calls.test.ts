import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest'
import { createNode, type TickertapeNode } from '../../src/library/create-node.ts'
import type { NodeOptions } from '../../src/library/node-options.ts'
import { COUNTER, type ForkedNode, startForkedNode } from '../support/forked-node.ts'

const HEIGHT = 4
const DELAY_MS = 250

let upstream: ForkedNode
beforeAll(async () => {
  upstream = await startForkedNode()
})
afterAll(() => upstream.close())

async function start(options: NodeOptions = {}): Promise<TickertapeNode> {
  upstream.proxy.delayMs = 0
  const forkUrl = upstream.proxy.url
  const node = await createNode({ forkUrl, forkBlockNumber: HEIGHT, noForkCache: true, mining: 'auto', ...options })
  onTestFinished(() => node.close())
  upstream.proxy.delayMs = DELAY_MS
  return node
}

function estimate(node: TickertapeNode): Promise<unknown> {
  return node.request({ method: 'eth_estimateGas', params: [{ to: COUNTER }] })
}

test('an estimate that waits for the upstream for longer than --call-timeout succeeds', async () => {
  upstream.without = new Set(['debug_traceCall', 'eth_createAccessList'])
  const node = await start({ callTimeout: 100 })

  expect(Number(await estimate(node))).toBeGreaterThan(21_000)
})

test('a request that waits for longer than the fork timeouts allow names the upstream, the method and a remedy', async () => {
  upstream.without = new Set(['debug_traceCall', 'eth_createAccessList'])
  const node = await start({ forkTimeout: DELAY_MS + 200, forkRetries: 0 })

  await expect(estimate(node)).rejects.toMatchObject({
    code: -32005,
    message: expect.stringMatching(/127\.0\.0\.1.* eth_estimateGas .*raise --fork-timeout/),
  })
})
