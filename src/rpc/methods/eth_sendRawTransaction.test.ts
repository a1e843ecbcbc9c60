import { beforeEach, expect, test } from 'vitest'
import { type RpcNode, startRpcNode } from '../../../test/support/rpc-node.ts'
import { signTransfer, type TransferOptions } from '../../../test/support/transfers.ts'
import { bytesToHex } from '../../primitives/hex.ts'

let node: RpcNode
beforeEach(async () => {
  node = await startRpcNode()
})
function raw(options: TransferOptions): string {
  return bytesToHex(signTransfer(options).raw)
}

test('returns the hash of an accepted transaction, which is in the next flashblock', async () => {
  const transaction = signTransfer({ nonce: 0n })
  expect(await node.result('eth_sendRawTransaction', bytesToHex(transaction.raw))).toBe(transaction.hash)
  expect(await node.result('base_transactionStatus', transaction.hash)).toEqual({ status: 'Known' })
  expect(await node.result('eth_getTransactionByHash', transaction.hash)).toMatchObject({ blockHash: null })
  expect(await node.result('eth_getTransactionCount', transaction.from, 'pending')).toBe('0x1')
  await node.nextFlashblock()
  const receipt = await node.result('eth_getTransactionReceipt', transaction.hash)
  expect(receipt).toMatchObject({ status: '0x1', blockNumber: '0x1', l1Fee: '0x0' })
  expect(await node.result('base_transactionStatus', transaction.hash)).toEqual({ status: 'Known' })
})

test('the four documented errors have exactly the documented messages, with details in data', async () => {
  await node.result('eth_sendRawTransaction', raw({ nonce: 0n }))
  expect((await node.request('eth_sendRawTransaction', raw({ nonce: 0n }))).error).toEqual({
    code: -32000,
    message: 'already known',
  })
  expect((await node.request('eth_sendRawTransaction', raw({ nonce: 0n, value: 9n }))).error).toMatchObject({
    code: -32000,
    message: 'replacement transaction underpriced',
    data: { replaced: signTransfer({ nonce: 0n }).hash },
  })
  await node.nextFlashblock()
  expect((await node.request('eth_sendRawTransaction', raw({ nonce: 0n, value: 9n }))).error).toEqual({
    code: -32000,
    message: 'nonce too low',
    data: { nextNonce: '0x1', transactionNonce: '0x0' },
  })
  const { error } = await node.request('eth_sendRawTransaction', raw({ nonce: 1n, value: 10n ** 30n }))
  expect(error).toMatchObject({ code: -32000, message: 'insufficient funds for gas * price + value' })
  expect(error?.data).toMatchObject({ balance: expect.stringMatching(/^0x/), cost: expect.stringMatching(/^0x/) })
})

test('dialect ethereum has the details in the message', async () => {
  const other = await startRpcNode({ dialect: 'ethereum' })
  await other.result('eth_sendRawTransaction', raw({ nonce: 0n }))
  await other.nextFlashblock()
  expect((await other.request('eth_sendRawTransaction', raw({ nonce: 0n, value: 9n }))).error).toEqual({
    code: -32000,
    message: 'nonce too low: next nonce 1, tx nonce 0',
  })
  await other.stop()
})

test.each([
  ['0x', -32000],
  ['0x02', -32000],
  ['0x7e01', -32000],
  ['0x03f8', -32000],
  ['0xzz', -32602],
  ['0x123', -32602],
  [null, -32602],
  [7, -32602],
])('rejects %j with %i without any change', async (data, code) => {
  const before = node.node.view()
  expect((await node.request('eth_sendRawTransaction', data)).error?.code).toBe(code)
  expect(node.node.view().pool.size).toBe(0)
  expect(node.node.view().head).toBe(before.head)
  expect(node.logged).toEqual([])
})
