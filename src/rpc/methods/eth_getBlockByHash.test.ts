import { beforeEach, expect, test } from 'vitest'
import { type RpcNode, startRpcNode } from '../../../test/support/rpc-node.ts'

let node: RpcNode
beforeEach(async () => {
  node = await startRpcNode()
})
test('returns the same block as by number, and null for an unknown hash', async () => {
  await node.nextBlock()
  const block = await node.result('eth_getBlockByNumber', '0x1', false)
  expect(await node.result('eth_getBlockByHash', block.hash, false)).toEqual(block)
  expect(await node.result('eth_getBlockByHash', `0x${'00'.repeat(32)}`, false)).toBeNull()
  expect((await node.request('eth_getBlockByHash', 'latest', false)).error?.code).toBe(-32602)
})
