import { expect, onTestFinished, test } from 'vitest'
import { startRpcNode } from '../../../test/support/rpc-node.ts'
import { createNetwork } from '../../chain/genesis/networks.ts'
import type { MiningMode } from '../../node/development/mining-mode.ts'
import { startWarm } from './warming.ts'

/** Requests that a node with this mode runs before it is ready. */
async function warmingRequests(mining: MiningMode): Promise<number> {
  const { node, rpc, stop } = await startRpcNode({ development: true }, { development: { mining } })
  onTestFinished(stop)
  let requests = 0
  let now = 0
  const counted: typeof rpc.handle = (text, client) => {
    requests += 1
    now += 10
    return rpc.handle(text, client)
  }
  const { genesis } = createNetwork()
  await startWarm({ handle: counted }, { genesis, node, now: () => now })
  return requests
}

test('a node that builds flashblocks is warmed up before it is ready, for a limited time', async () => {
  expect(await warmingRequests({ kind: 'flashblocks' })).toBe(25)
})

test('a node that builds blocks on demand is ready without a warm-up', async () => {
  expect(await warmingRequests({ kind: 'on-demand', auto: true, interval: undefined })).toBe(0)
})
