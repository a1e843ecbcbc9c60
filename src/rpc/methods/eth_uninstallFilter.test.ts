import { beforeEach, expect, test } from 'vitest'
import { type RpcNode, startRpcNode } from '../../../test/support/rpc-node.ts'

let node: RpcNode
beforeEach(async () => {
  node = await startRpcNode()
})
test('returns true once, and then false', async () => {
  const id = await node.result('eth_newBlockFilter')
  expect(await node.result('eth_uninstallFilter', id)).toBe(true)
  expect(await node.result('eth_uninstallFilter', id)).toBe(false)
  expect((await node.request('eth_getFilterChanges', id)).error?.message).toBe('filter not found')
})
