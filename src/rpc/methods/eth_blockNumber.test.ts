import { beforeEach, expect, test } from 'vitest'
import { type RpcNode, startRpcNode } from '../../../test/support/rpc-node.ts'

let node: RpcNode
beforeEach(async () => {
  node = await startRpcNode()
})
test('counts sealed blocks, not the open one', async () => {
  expect(await node.result('eth_blockNumber')).toBe('0x0')
  await node.nextFlashblock()
  expect(await node.result('eth_blockNumber')).toBe('0x0')
  await node.nextBlock()
  expect(await node.result('eth_blockNumber')).toBe('0x1')
})
