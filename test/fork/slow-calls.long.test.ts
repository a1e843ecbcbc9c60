import { afterAll, beforeAll, beforeEach, expect, onTestFinished, test } from 'vitest'
import { DEVELOPMENT_ACCOUNTS } from '../../src/chain/accounts/development-accounts.ts'
import { createNode, type TickertapeNode } from '../../src/library/create-node.ts'
import type { NodeOptions } from '../../src/library/node-options.ts'
import type { Address } from '../../src/primitives/hex.ts'
import { COUNTER, type ForkedNode, startForkedNode } from '../support/forked-node.ts'

const HEIGHT = 4
const DELAY_MS = 250
const SENDER = DEVELOPMENT_ACCOUNTS[2]!.address

let upstream: ForkedNode
beforeAll(async () => {
  upstream = await startForkedNode()
})
afterAll(() => upstream.close())
beforeEach(() => {
  upstream.without = new Set()
  upstream.proxy.unanswered = new Set()
  upstream.proxy.methods.length = 0
})

async function start(options: NodeOptions = {}): Promise<TickertapeNode> {
  upstream.proxy.delayMs = 0
  const forkUrl = upstream.proxy.url
  const node = await createNode({ forkUrl, forkBlockNumber: HEIGHT, noForkCache: true, mining: 'auto', ...options })
  onTestFinished(() => node.close())
  upstream.proxy.delayMs = DELAY_MS
  return node
}

function estimate(node: TickertapeNode, from?: Address): Promise<unknown> {
  return node.request({ method: 'eth_estimateGas', params: [{ from, to: COUNTER }] })
}

test('an estimate that waits for the upstream for longer than --call-timeout-ms succeeds', async () => {
  upstream.without = new Set(['debug_traceCall', 'eth_createAccessList'])
  const node = await start({ callTimeoutMs: 100 })

  expect(Number(await estimate(node))).toBeGreaterThan(21_000)
})

test('the error of a request that waits too long names the upstream, the method and a remedy', async () => {
  upstream.without = new Set(['debug_traceCall', 'eth_createAccessList'])
  const node = await start({ forkTimeoutMs: DELAY_MS + 200, forkRetries: 0 })

  await expect(estimate(node)).rejects.toMatchObject({
    code: -32005,
    message: expect.stringMatching(/127\.0\.0\.1.* eth_estimateGas .*raise --fork-timeout-ms/),
  })
})

test('an upstream that never answers debug_traceCall is asked once, and delays estimates by seconds only', async () => {
  upstream.proxy.unanswered = new Set(['debug_traceCall'])
  upstream.without = new Set(['eth_getProof', 'eth_getAccountInfo'])
  const node = await start()
  const startedAt = performance.now()

  const gas = [await estimate(node), await estimate(node, SENDER)]

  expect(gas.map(Number)).toEqual([
    expect.toSatisfy((used) => used > 21_000),
    expect.toSatisfy((used) => used > 21_000),
  ])
  // Without a time limit of their own, the hints would wait for a quarter of --fork-timeout-ms: 11 s.
  expect(performance.now() - startedAt).toBeLessThan(10_000)
  expect(upstream.proxy.methods.filter((method) => method === 'debug_traceCall')).toHaveLength(1)
})

test('a hint without an answer does not use up the time in which a request may wait for reads', async () => {
  upstream.proxy.unanswered = new Set(['debug_traceCall', 'eth_createAccessList'])
  const node = await start({ forkTimeoutMs: 20 * DELAY_MS, forkRetries: 0 })

  expect(Number(await estimate(node))).toBeGreaterThan(21_000)
})
