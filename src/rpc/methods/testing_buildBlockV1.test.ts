import { beforeEach, expect, test } from 'vitest'
import { signBlobTransfer } from '../../../test/support/blob-transactions.ts'
import { layer1Genesis } from '../../../test/support/layer1-genesis.ts'
import { type RpcNode, startRpcNode } from '../../../test/support/rpc-node.ts'
import { signTransfer } from '../../../test/support/transfers.ts'
import { bytesToHex } from '../../primitives/hex.ts'
import type { JsonRecord } from '../protocol/json.ts'

let node: RpcNode
beforeEach(async () => {
  node = await startRpcNode({ dialect: 'ethereum' }, { genesis: layer1Genesis() })
})
const attributes = {
  timestamp: '0x67748590',
  prevRandao: `0x${'11'.repeat(32)}`,
  suggestedFeeRecipient: `0x${'22'.repeat(20)}`,
  parentBeaconBlockRoot: `0x${'33'.repeat(32)}`,
  withdrawals: [{ index: '0x0', validatorIndex: '0x0', address: `0x${'44'.repeat(20)}`, amount: '0x5' }],
}

async function build(...rest: unknown[]) {
  const { hash } = await node.result('eth_getBlockByNumber', '0x0', false)
  return node.request('testing_buildBlockV1', hash, attributes, ...rest)
}

test('builds a block of the given transactions that is not visible elsewhere in the API', async () => {
  const transfer = signTransfer({ nonce: 0n })
  const { result } = await build([bytesToHex(transfer.raw)], '0x1234')
  const { executionPayload, blockValue } = result as { executionPayload: JsonRecord; blockValue: string }
  expect(executionPayload).toMatchObject({
    blockNumber: '0x1',
    gasUsed: '0x5208',
    extraData: '0x1234',
    prevRandao: attributes.prevRandao,
    transactions: [bytesToHex(transfer.raw)],
    withdrawals: attributes.withdrawals,
  })
  expect(blockValue).toBe(`0x${(21_000n * 1_000_000n).toString(16)}`)
  expect(await node.result('eth_blockNumber')).toBe('0x0')
  expect(await node.result('eth_getTransactionByHash', transfer.hash)).toBeNull()
})

test('null includes the best pooled transactions with their blobs, an empty list none', async () => {
  const { transaction, sent } = signBlobTransfer()
  await node.result('eth_sendRawTransaction', bytesToHex(sent))
  const { result } = await build(null)
  expect(result).toMatchObject({
    executionPayload: { transactions: [bytesToHex(transaction.raw)], blobGasUsed: '0x20000' },
    blobsBundle: {
      blobs: transaction.sidecar.blobs.map(bytesToHex),
      commitments: transaction.sidecar.commitments.map(bytesToHex),
      proofs: transaction.sidecar.proofs.map(bytesToHex),
    },
  })
  expect((await build([])).result).toMatchObject({ executionPayload: { transactions: [] }, blockValue: '0x0' })
})

test('rejects a block that cannot be built, with the reason', async () => {
  const queued = bytesToHex(signTransfer({ nonce: 7n }).raw)
  expect((await build([queued])).error).toMatchObject({
    code: -32000,
    message: expect.stringContaining('nonce too high'),
  })
  expect((await build(['0x02'])).error).toMatchObject({
    code: -32000,
    message: expect.stringContaining('transaction 0'),
  })
  expect((await build([], `0x${'00'.repeat(33)}`)).error).toMatchObject({ code: -32000 })
  const unknown = await node.request('testing_buildBlockV1', `0x${'99'.repeat(32)}`, attributes, [])
  expect(unknown.error).toMatchObject({ code: -32000, message: expect.stringContaining('unknown parent') })
  const { hash } = await node.result('eth_getBlockByNumber', '0x0', false)
  const early = await node.request('testing_buildBlockV1', hash, { ...attributes, timestamp: '0x1' }, [])
  expect(early.error).toMatchObject({ code: -32000, message: expect.stringContaining('invalid timestamp') })
})

test('rejects the request on layer 2', async () => {
  const layer2 = await startRpcNode()
  const { hash } = await layer2.result('eth_getBlockByNumber', '0x0', false)
  const response = await layer2.request('testing_buildBlockV1', hash, attributes, [])
  expect(response.error).toMatchObject({ code: -32000, message: expect.stringContaining('sequencer') })
  await layer2.stop()
})
