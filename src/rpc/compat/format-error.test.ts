import { expect, test } from 'vitest'
import { type RpcNode, startRpcNode } from '../../../test/support/rpc-node.ts'

let node: RpcNode
test.each([
  [
    undefined,
    { code: -32601, message: 'the method eth_nothing does not exist/is not available' },
    { code: -32602, message: 'missing value for required argument 0' },
  ],
  ['anvil', { code: -32601, message: 'Method not found' }, { code: -32602 }],
  [
    'hardhat',
    {
      code: -32004,
      message: 'Method eth_nothing is not supported',
      data: { message: 'Method eth_nothing is not supported', data: { method: 'eth_nothing', params: [] } },
    },
    { code: -32602, data: { data: { method: 'eth_getBalance', params: [] } } },
  ],
] as const)(
  '--compat %s words unknown methods and invalid parameters as that node',
  async (compat, unknown, invalid) => {
    node = await startRpcNode({ compat })

    expect((await node.request('eth_nothing')).error).toEqual(unknown)
    expect((await node.request('eth_getBalance')).error).toMatchObject(invalid)
  },
)

test('an error of a batch item has the same form', async () => {
  node = await startRpcNode({ compat: 'hardhat' })
  const text = JSON.stringify([{ jsonrpc: '2.0', id: 1, method: 'eth_nothing', params: [] }])

  expect(JSON.parse((await node.rpc.handle(text))!)).toMatchObject([{ error: { code: -32004 } }])
})
