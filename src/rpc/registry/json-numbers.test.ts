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
  expect(withHexNumbers(json, schema)).toEqual(expected)
})

async function start(compat?: Compat): Promise<RpcNode> {
  return startRpcNode({ development: true, ...(compat && { compat }) }, { development: { mining: AUTO } })
}

test('with --compat anvil calls, sends and storage keys may have numbers of JSON', async () => {
  const node = await start('anvil')

  await node.result('eth_sendTransaction', { from: SENDER, to: ACCOUNT, value: 1_000, gas: 21_000 })
  await node.result('anvil_setStorageAt', ACCOUNT, 1, SLOT)

  expect(await node.result('eth_getBalance', ACCOUNT, 'latest')).toBe('0x3e8')
  expect(await node.result('eth_getStorageAt', ACCOUNT, 1, 'latest')).toBe(SLOT)
  expect(await node.result('eth_call', { to: ACCOUNT, gas: 50_000 }, 'latest')).toBe('0x')
  await node.stop()
})

test.each([undefined, 'hardhat'] as const)('with --compat %s numbers of JSON are refused', async (compat) => {
  const node = await start(compat)

  expect((await node.request('eth_call', { to: ACCOUNT, gas: 21_000 }, 'latest')).error?.code).toBe(-32602)
  expect((await node.request('eth_getStorageAt', ACCOUNT, 0, 'latest')).error?.code).toBe(-32602)
  await node.stop()
})
