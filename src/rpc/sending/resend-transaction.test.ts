import { beforeEach, expect, test } from 'vitest'
import { type RpcNode, startRpcNode } from '../../../test/support/rpc-node.ts'
import { DEVELOPMENT_ACCOUNTS } from '../../chain/accounts/development-accounts.ts'
import { MANUAL } from '../../node/development/mining-mode.ts'

const [from, to] = DEVELOPMENT_ACCOUNTS.map(({ address }) => address)
const SENT = { from, to, value: '0x5', nonce: '0x0' }
const GWEI = 10n ** 9n

let node: RpcNode
beforeEach(async () => {
  node = await startRpcNode({ development: true }, { development: { mining: MANUAL } })
})
test('eth_resend replaces a pooled transaction by one with another price and gas limit', async () => {
  const first = await node.result('eth_sendTransaction', { ...SENT, gasPrice: `0x${GWEI.toString(16)}` })

  const second = await node.result('eth_resend', SENT, `0x${(2n * GWEI).toString(16)}`, '0x7530')

  expect(await node.result('eth_getTransactionByHash', first)).toBe(null)
  expect(await node.result('eth_getTransactionByHash', second)).toMatchObject({
    ...SENT,
    gasPrice: `0x${(2n * GWEI).toString(16)}`,
    gas: '0x7530',
  })
})

test.each([
  ['without a nonce', { from, to, value: '0x5' }, -32602, 'missing transaction nonce'],
  ['of another nonce', { ...SENT, nonce: '0x1' }, -32000, 'no such transaction with nonce 1'],
  ['with another value', { ...SENT, value: '0x6' }, -32000, 'no such transaction with nonce 0'],
])('eth_resend refuses a transaction %s', async (_, request, code, message) => {
  const hash = await node.result('eth_sendTransaction', SENT)

  const { error } = await node.request('eth_resend', request, '0xee6b2800')

  expect(error).toMatchObject({ code, message: expect.stringContaining(message) })
  expect(await node.result('eth_getTransactionByHash', hash)).toMatchObject({ value: '0x5' })
})
