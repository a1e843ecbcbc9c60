import { beforeEach, expect, test } from 'vitest'
import { type RpcNode, startRpcNode } from '../../../test/support/rpc-node.ts'
import { DEVELOPMENT_ACCOUNTS } from '../../chain/accounts/development-accounts.ts'

let node: RpcNode
beforeEach(async () => {
  node = await startRpcNode({ dialect: 'ethereum' })
})
const from = DEVELOPMENT_ACCOUNTS[0]!.address
const to = DEVELOPMENT_ACCOUNTS[1]!.address

test('fills in missing members and keeps given ones', async () => {
  const { raw, tx } = await node.result('eth_fillTransaction', { from, to, value: '0x5', nonce: '0x7' })
  const baseFee = BigInt(String(await node.result('eth_baseFee')))
  const tip = BigInt(String(await node.result('eth_maxPriorityFeePerGas')))
  expect(raw).toMatch(/^0x02/)
  expect(tx).toMatchObject({
    type: '0x2',
    nonce: '0x7',
    gas: '0x5208',
    chainId: '0x7a69',
    maxPriorityFeePerGas: `0x${tip.toString(16)}`,
    maxFeePerGas: `0x${(tip + 2n * baseFee).toString(16)}`,
  })
  const legacy = await node.result('eth_fillTransaction', { from, to, gasPrice: '0x5f5e100' })
  expect(legacy.tx).toMatchObject({ type: '0x0', gasPrice: '0x5f5e100', nonce: '0x0' })
})

test('rejects signing methods: the node holds no keys', async () => {
  for (const [method, ...params] of [
    ['eth_sign', from, '0x12'],
    ['eth_signTransaction', { from, to }],
    ['eth_sendTransaction', { from, to }],
  ] as const) {
    expect((await node.request(method, ...params)).error).toMatchObject({ code: -32000, message: 'unknown account' })
  }
})

test.each(['anvil', 'hardhat', undefined] as const)(
  'reports a revert before the client signs, with --compat %s, and estimates otherwise',
  async (compat) => {
    await node.stop()
    node = await startRpcNode({ dialect: 'ethereum', development: true, ...(compat && { compat }) })
    const reverting = '0x00000000000000000000000000000000000000c0'
    await node.result('anvil_setCode', reverting, '0x60006000fd')

    const { error } = await node.request('eth_fillTransaction', { from, to: reverting, data: '0x12345678' })
    expect(error?.code).toBe(compat === 'hardhat' ? -32603 : 3)
    expect(error?.message).toMatch(/revert/)
    expect(await node.result('eth_fillTransaction', { from, to })).toMatchObject({ tx: { gas: '0x5208' } })
    const given = { from, to: reverting, gas: '0x10000' }
    expect(await node.result('eth_fillTransaction', given)).toMatchObject({ tx: { gas: '0x10000' } })
  },
)
