import { afterEach, expect, test } from 'vitest'
import { type RpcNode, startRpcNode } from '../../../../test/support/rpc-node.ts'

let node: RpcNode
afterEach(() => node.stop())

test.each([[[]], [['0x', '0x00']], [[['0x12', `0x${'00'.repeat(20)}`]]], [[{ signature: '0x12' }, 7]]])(
  'anvil_impersonateSignature of %j names the alternatives',
  async (params: readonly unknown[]) => {
    node = await startRpcNode({ development: true, compat: 'anvil' })

    const { error } = await node.request('anvil_impersonateSignature', ...params)

    expect(error).toMatchObject({
      message: expect.stringMatching(/sign with a key of eth_accounts, or override the code/),
    })
  },
)
