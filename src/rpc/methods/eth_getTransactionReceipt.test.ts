import { beforeEach, expect, test } from 'vitest'
import { type RpcNode, startRpcNode } from '../../../test/support/rpc-node.ts'
import { signTransfer } from '../../../test/support/transfers.ts'
import { bytesToHex } from '../../primitives/hex.ts'

let node: RpcNode
beforeEach(async () => {
  node = await startRpcNode()
})
async function send(): Promise<string> {
  const { hash, raw } = signTransfer({ nonce: 0n, value: 5n })
  await node.result('eth_sendRawTransaction', bytesToHex(raw))
  return hash
}

test('is null while the transaction is pooled; sealing changes only the block hash', async () => {
  const hash = await send()
  expect(await node.result('eth_getTransactionReceipt', hash)).toBeNull()
  await node.nextFlashblock()
  const receipt = await node.result('eth_getTransactionReceipt', hash)
  const pending = await node.result('eth_getBlockByNumber', 'pending', false)
  expect(receipt).toMatchObject({
    transactionHash: hash,
    blockHash: pending.hash,
    blockNumber: '0x1',
    status: '0x1',
    gasUsed: '0x5208',
    cumulativeGasUsed: '0x5208',
    contractAddress: null,
    logs: [],
    type: '0x2',
    l1Fee: '0x0',
    l1GasPrice: '0x0',
    l1GasUsed: '0x0',
  })
  await node.nextBlock()
  const latest = await node.result('eth_getBlockByNumber', 'latest', false)
  expect(await node.result('eth_getTransactionReceipt', hash)).toEqual({ ...receipt, blockHash: latest.hash })
})
