import { getAddress, recoverTypedDataAddress } from 'viem'
import { beforeEach, describe, expect, test } from 'vitest'
import { type RpcNode, startRpcNode } from '../../../../test/support/rpc-node.ts'
import { DEVELOPMENT_ACCOUNTS } from '../../../chain/accounts/development-accounts.ts'
import type { Hex } from '../../../primitives/hex.ts'

const SENDER = DEVELOPMENT_ACCOUNTS[0]!.address
const MAIL = {
  types: {
    Person: [{ name: 'wallet', type: 'address' }],
    Mail: [
      { name: 'to', type: 'Person' },
      { name: 'contents', type: 'string' },
    ],
  },
  primaryType: 'Mail',
  domain: { name: 'Mail', chainId: 31337 },
  message: { to: { wallet: SENDER }, contents: 'Hello' },
} as const

let node: RpcNode
beforeEach(async () => {
  node = await startRpcNode({ development: true })
})
describe.each(['eth_signTypedData', 'eth_signTypedData_v3', 'eth_signTypedData_v4'])('%s', (method) => {
  test('signs structs with the key of the account, given as an object or as JSON', async () => {
    const signature = String(await node.result(method, SENDER, MAIL)) as Hex

    expect(await recoverTypedDataAddress({ ...MAIL, signature })).toBe(getAddress(SENDER))
    expect(await node.result(method, SENDER, JSON.stringify(MAIL))).toBe(signature)
  })

  test('refuses an account without a key', async () => {
    const { error } = await node.request(method, `0x${'00'.repeat(19)}aa`, MAIL)

    expect(error).toMatchObject({ code: -32000, message: 'unknown account' })
  })
})

test('eth_signTypedData_v3 refuses arrays, which version 4 signs', async () => {
  const list = { ...MAIL, types: { Mail: [{ name: 'ids', type: 'uint8[]' }] }, message: { ids: [1, 2] } }

  expect((await node.request('eth_signTypedData_v3', SENDER, list)).error).toMatchObject({
    code: -32602,
    message: expect.stringContaining('message.ids: the array type uint8[] is not supported by version 3'),
  })
  expect(await node.result('eth_signTypedData_v4', SENDER, list)).toMatch(/^0x[0-9a-f]{130}$/)
})
