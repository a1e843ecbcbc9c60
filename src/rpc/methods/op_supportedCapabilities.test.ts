import { beforeEach, expect, test } from 'vitest'
import { type RpcNode, startRpcNode } from '../../../test/support/rpc-node.ts'

let node: RpcNode
beforeEach(async () => {
  node = await startRpcNode()
})
test('lists flashblocksv1', async () => {
  expect(await node.result('op_supportedCapabilities')).toEqual(['flashblocksv1'])
})
