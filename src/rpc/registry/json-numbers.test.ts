import { expect, test } from 'vitest'
import { type RpcNode, startRpcNode } from '../../../test/support/rpc-node.ts'
import { DEVELOPMENT_ACCOUNTS } from '../../chain/accounts/development-accounts.ts'
import { AUTO } from '../../node/development/mining-mode.ts'
import { accessList } from '../codecs/access-list.ts'
import { callObject } from '../codecs/call-object.ts'
import { quantity } from '../codecs/quantity.ts'
import type { Compat } from '../compat/compat.ts'
import { withHexNumbers } from './json-numbers.ts'

const SENDER = DEVELOPMENT_ACCOUNTS[0]!.address
const ACCOUNT = `0x${'00'.repeat(18)}beef`
const SLOT = `0x${'0'.repeat(63)}1`

test.each([
  [21_000, quantity.schema, '0x5208'],
  [-1, quantity.schema, -1],
  [1.5, quantity.schema, 1.5],
  [2 ** 53, quantity.schema, 2 ** 53],
  ['0x1', quantity.schema, '0x1'],
  [{ gas: 7, to: 8, other: 9 }, callObject.schema, { gas: '0x7', to: 8, other: 9 }],
  [[{ address: 5, storageKeys: [1] }], accessList.schema, [{ address: 5, storageKeys: [1] }]],
  [null, callObject.schema, null],
])('of %j only whole numbers in place of quantities become hex', (json, schema, expected) => {
  expect(withHexNumbers(json, schema, 'quantities and storage keys')).toEqual(expected)
})

async function start(compat?: Compat): Promise<RpcNode> {
  return startRpcNode({ development: true, ...(compat && { compat }) }, { development: { mining: AUTO } })
}

test.each(['anvil', 'hardhat'] as const)(
  'with --compat %s calls, sends and blocks may have numbers of JSON',
  async (compat) => {
    const node = await start(compat)

    await node.result('eth_sendTransaction', { from: SENDER, to: ACCOUNT, value: 1_000, gas: 21_000 })
    await node.result(`${compat}_setStorageAt`, ACCOUNT, compat === 'anvil' ? 1 : '0x1', SLOT)

    expect(await node.result('eth_getBalance', ACCOUNT, 1)).toBe('0x3e8')
    if (compat === 'anvil') expect(await node.result('eth_getStorageAt', ACCOUNT, 1, 'latest')).toBe(SLOT)
    else expect((await node.request('eth_getStorageAt', ACCOUNT, 1, 'latest')).error?.code).toBe(-32602)
    expect(await node.result('eth_call', { to: ACCOUNT, gas: 50_000 }, { blockNumber: 1 })).toBe('0x')
    expect((await node.result('eth_getBlockByNumber', 0, false)).number).toBe('0x0')
    expect(await node.result('eth_getLogs', { fromBlock: 0, toBlock: 1 })).toEqual([])
  },
)

test('without --compat numbers of JSON are refused, as by go-ethereum', async () => {
  const node = await start()

  expect((await node.request('eth_call', { to: ACCOUNT, gas: 21_000 }, 'latest')).error?.code).toBe(-32602)
  expect((await node.request('eth_getStorageAt', ACCOUNT, 0, 'latest')).error?.code).toBe(-32602)
  expect((await node.request('eth_getBlockByNumber', 0, false)).error?.code).toBe(-32602)
})
