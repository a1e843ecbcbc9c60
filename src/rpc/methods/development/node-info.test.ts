import { expect, onTestFinished, test } from 'vitest'
import { startRpcNode } from '../../../../test/support/rpc-node.ts'
import { AUTO } from '../../../node/development/mining-mode.ts'

test.each(['fees', 'fifo'] as const)('anvil_nodeInfo names the order of the pool: %s', async (order) => {
  const node = await startRpcNode({ development: true }, { development: { mining: AUTO }, pool: { order } })
  onTestFinished(() => node.stop())

  expect(await node.result('anvil_nodeInfo')).toMatchObject({ transactionOrder: order })
})

test.each(['prague', 'osaka', 'bpo1'] as const)('anvil_nodeInfo names the fork as Anvil does: %s', async (fork) => {
  const node = await startRpcNode({ development: true }, { development: { mining: AUTO }, network: { fork } })
  onTestFinished(() => node.stop())

  const name = fork === 'bpo1' ? 'Bpo1' : fork === 'osaka' ? 'Osaka' : 'Prague'
  expect(await node.result('anvil_nodeInfo')).toMatchObject({ hardFork: name })
})
