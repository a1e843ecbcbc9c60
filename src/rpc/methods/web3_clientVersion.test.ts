import { beforeEach, expect, test } from 'vitest'
import { type RpcNode, startRpcNode } from '../../../test/support/rpc-node.ts'

let node: RpcNode
beforeEach(async () => {
  node = await startRpcNode()
})
test('returns name and version and takes no parameters', async () => {
  expect(await node.result('web3_clientVersion')).toEqual('Tickertape/test')
  expect((await node.request('web3_clientVersion', 1)).error).toEqual({
    code: -32602,
    message: 'too many arguments, want at most 0',
  })
})
