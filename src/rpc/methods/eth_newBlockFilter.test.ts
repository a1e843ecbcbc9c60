import { beforeEach, expect, test } from 'vitest'
import { type RpcNode, startRpcNode } from '../../../test/support/rpc-node.ts'

let node: RpcNode
beforeEach(async () => {
  node = await startRpcNode()
})
test('returns the hash of each sealed block, and of those that replace unwound ones', async () => {
  const id = await node.result('eth_newBlockFilter')
  await node.nextFlashblock()
  expect(await node.result('eth_getFilterChanges', id)).toEqual([])
  await node.nextBlock()
  await node.nextBlock()
  const hashes = async (...heights: string[]) =>
    Promise.all(heights.map(async (height) => (await node.result('eth_getBlockByNumber', height, false)).hash))
  expect(await node.result('eth_getFilterChanges', id)).toEqual(await hashes('0x1', '0x2'))
  expect(await node.result('eth_getFilterChanges', id)).toEqual([])
  await node.result('debug_setHead', '0x1')
  await node.nextBlock()
  expect(await node.result('eth_getFilterChanges', id)).toEqual(await hashes('0x2'))
})
