import { beforeEach, expect, test } from 'vitest'
import { type RpcNode, startRpcNode } from '../../../test/support/rpc-node.ts'

let node: RpcNode
beforeEach(async () => {
  node = await startRpcNode()
})
test('returns true and takes no parameters', async () => {
  expect(await node.result('net_listening')).toEqual(true)
  expect((await node.request('net_listening', 1)).error).toEqual({
    code: -32602,
    message: 'too many arguments, want at most 0',
  })
})
