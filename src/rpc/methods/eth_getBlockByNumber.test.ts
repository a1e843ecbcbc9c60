import { beforeEach, expect, test } from 'vitest'
import { type RpcNode, startRpcNode } from '../../../test/support/rpc-node.ts'
import { signTransfer } from '../../../test/support/transfers.ts'
import { bytesToHex } from '../../primitives/hex.ts'

let node: RpcNode
beforeEach(async () => {
  node = await startRpcNode()
})
test('the pending block has its number, a hash that changes and can be looked up, and the transactions so far', async () => {
  await node.nextFlashblock()
  const before = await node.result('eth_getBlockByNumber', 'pending', true)
  const transaction = signTransfer({ nonce: 0n })
  await node.result('eth_sendRawTransaction', bytesToHex(transaction.raw))
  await node.nextFlashblock()
  const after = await node.result('eth_getBlockByNumber', 'pending', true)

  expect(after.number).toBe('0x1')
  expect(after.hash).not.toBe(before.hash)
  expect(after.transactions).toMatchObject([
    { hash: transaction.hash, blockHash: after.hash, blockNumber: '0x1', transactionIndex: '0x0', type: '0x2' },
  ])
  expect(await node.result('eth_getBlockByHash', after.hash, true)).toEqual(after)
  expect(await node.result('eth_getBlockByHash', before.hash, true)).toEqual(before)
})

test('a block has every documented member', async () => {
  const block = await node.result('eth_getBlockByNumber', 'latest', false)
  expect(Object.keys(block).sort()).toEqual(
    [
      ...['number', 'hash', 'parentHash', 'nonce', 'sha3Uncles', 'logsBloom', 'transactionsRoot', 'stateRoot'],
      ...['receiptsRoot', 'miner', 'difficulty', 'mixHash', 'extraData', 'size', 'gasLimit', 'gasUsed', 'timestamp'],
      ...['transactions', 'uncles', 'withdrawals', 'withdrawalsRoot', 'baseFeePerGas', 'blobGasUsed'],
      ...['excessBlobGas', 'parentBeaconBlockRoot', 'requestsHash'],
    ].sort(),
  )
  expect(block).toMatchObject({ nonce: '0x0000000000000000', difficulty: '0x0', uncles: [], withdrawals: [] })
})

test('returns null for an unknown block and for the height of the open block', async () => {
  expect(await node.result('eth_getBlockByNumber', '0xffff', false)).toBeNull()
  expect(await node.result('eth_getBlockByNumber', '0x1', false)).toBeNull()
})

test.each([
  [[], 'missing value for required argument 0'],
  [['latest'], 'missing value for required argument 1'],
  [['latest', null], 'missing value for required argument 1'],
  [['latest', false, 1], 'too many arguments, want at most 2'],
  [['0x01', false], 'invalid argument 0: hex number with leading zero digits'],
  [['newest', false], 'invalid argument 0: hex string without 0x prefix'],
  [['0x', false], 'invalid argument 0: hex string "0x"'],
  [[1, false], 'invalid argument 0: expected a hex number in a string, got a number'],
  [['latest', 'true'], 'invalid argument 1: expected true or false, got a string'],
])('rejects %j with -32602 %s', async (params, message) => {
  expect((await node.request('eth_getBlockByNumber', ...params)).error).toEqual({ code: -32602, message })
})
