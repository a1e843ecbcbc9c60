import { beforeEach, expect, test } from 'vitest'
import { signBlobTransfer } from '../../../test/support/blob-transactions.ts'
import { layer1Genesis } from '../../../test/support/layer1-genesis.ts'
import { type RpcNode, startRpcNode } from '../../../test/support/rpc-node.ts'
import { signTransfer } from '../../../test/support/transfers.ts'
import { decodeBlock } from '../../chain/block/block-codec.ts'
import { bytesToHex, hexToBytes } from '../../primitives/hex.ts'

let node: RpcNode
beforeEach(async () => {
  node = await startRpcNode({ dialect: 'ethereum' }, { genesis: layer1Genesis() })
})
test('returns a pooled transaction with its blobs and an included one without, by hash and by position', async () => {
  const { transaction, sent } = signBlobTransfer()
  const plain = signTransfer({ from: 1, nonce: 0n })
  for (const raw of [sent, plain.raw]) await node.result('eth_sendRawTransaction', bytesToHex(raw))
  expect(await node.result('debug_getRawTransaction', transaction.hash)).toBe(bytesToHex(sent))
  await node.nextBlock()
  const raw = bytesToHex(transaction.raw)
  expect(await node.result('debug_getRawTransaction', transaction.hash)).toBe(raw)
  expect(await node.result('eth_getRawTransactionByHash', transaction.hash)).toBe(raw)
  const { hash, transactions } = await node.result('eth_getBlockByNumber', '0x1', false)
  const index = `0x${(transactions as string[]).indexOf(transaction.hash).toString(16)}`
  expect(await node.result('eth_getRawTransactionByBlockHashAndIndex', hash, index)).toBe(raw)
  expect(await node.result('eth_getRawTransactionByBlockNumberAndIndex', '0x1', index)).toBe(raw)
  expect(await node.result('eth_getRawTransactionByBlockNumberAndIndex', '0x1', '0x9')).toBe('0x')
  expect(await node.result('debug_getRawTransaction', `0x${'99'.repeat(32)}`)).toBe('0x')
})

test('returns raw blocks, headers and receipts', async () => {
  await node.result('eth_sendRawTransaction', bytesToHex(signTransfer({ nonce: 0n }).raw))
  await node.nextBlock()
  const { hash } = await node.result('eth_getBlockByNumber', '0x1', false)
  const block = decodeBlock(hexToBytes(String(await node.result('debug_getRawBlock', '0x1'))))
  expect(block.hash).toBe(hash)
  expect(String(await node.result('debug_getRawBlock', hash))).toContain(
    String(await node.result('debug_getRawHeader', '0x1')).slice(2),
  )
  expect(await node.result('debug_getRawReceipts', '0x1')).toEqual([expect.stringMatching(/^0x02f9/)])
  for (const method of ['debug_getRawBlock', 'debug_getRawHeader', 'debug_getRawReceipts']) {
    expect((await node.request(method, '0x99')).error).toMatchObject({ code: -32000, message: 'header not found' })
    expect((await node.request(method, '2')).error?.code).toBe(-32602)
  }
  expect(await node.result('debug_getBadBlocks')).toEqual([])
  expect((await node.request('debug_getRawBlockAccessList', '0x1')).error?.code).toBe(-32001)
  expect(await node.result('eth_getBlockAccessList', '0x1')).toBeNull()
})
