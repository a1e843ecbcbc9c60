import { beforeEach, expect, test } from 'vitest'
import { type RpcNode, startRpcNode } from '../../../test/support/rpc-node.ts'

let node: RpcNode
beforeEach(async () => {
  node = await startRpcNode()
})
test('returns the network id in decimal and takes no parameters', async () => {
  expect(await node.result('net_version')).toEqual('31337')
  expect((await node.request('net_version', 1)).error).toEqual({
    code: -32602,
    message: 'too many arguments, want at most 0',
  })
})
