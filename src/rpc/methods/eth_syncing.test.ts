import { beforeEach, expect, test } from 'vitest'
import { type RpcNode, startRpcNode } from '../../../test/support/rpc-node.ts'

let node: RpcNode
beforeEach(async () => {
  node = await startRpcNode()
})
test('returns false for a sequencer and takes no parameters', async () => {
  expect(await node.result('eth_syncing')).toEqual(false)
  expect((await node.request('eth_syncing', 1)).error).toEqual({
    code: -32602,
    message: 'too many arguments, want at most 0',
  })
})
