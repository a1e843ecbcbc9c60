import { afterEach, expect, test } from 'vitest'
import { type RpcNode, startRpcNode } from '../../../../test/support/rpc-node.ts'

let node: RpcNode | undefined
afterEach(async () => {
  await node?.stop()
  node = undefined
})

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

test.each(['eth_getWork', 'eth_submitWork', 'eth_submitHashrate'])(
  '%s has the error of each reproduced node, and otherwise names the alternatives',
  async (method) => {
    const errors = []
    for (const compat of [undefined, 'anvil', 'hardhat'] as const) {
      await node?.stop()
      node = await startRpcNode({ development: true, compat })
      errors.push((await node.request(method)).error)
    }

    expect(errors).toMatchObject([
      { code: -32000, message: expect.stringContaining('evm_mine') },
      { code: -32603, message: 'Not implemented' },
      { code: -32004, message: `Method ${method} is not supported` },
    ])
  },
)
