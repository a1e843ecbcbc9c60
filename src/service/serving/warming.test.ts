import { expect, onTestFinished, test } from 'vitest'
import { startRpcNode } from '../../../test/support/rpc-node.ts'
import { createNetwork } from '../../chain/genesis/networks.ts'
import type { MiningMode } from '../../node/development/mining-mode.ts'
import { startWarming } from './warming.ts'

/** Requests of the warm-up of a node with this mode, each of 10 ms. */
async function warmingRequests(mining: MiningMode): Promise<number> {
  const { node, rpc, stop } = await startRpcNode({ development: true }, { development: { mining } })
  onTestFinished(stop)
  let requests = 0
  const counted: typeof rpc.handle = (text, client) => {
    requests += 1
    return rpc.handle(text, client)
  }
  const { genesis } = createNetwork()
  const now = () => requests * 10
  await startWarming(() => ({ handle: counted }), { genesis, node, now }).ended
  return requests
}

test('a node that builds flashblocks is warmed up for a limited time', async () => {
  expect(await warmingRequests({ kind: 'flashblocks' })).toBe(25)
})

test('a node that builds blocks on demand is warmed up with four calls that compute', async () => {
  expect(await warmingRequests({ kind: 'on-demand', auto: true, interval: undefined })).toBe(4)
})
