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

test('returns the receipts of a block by tag and partial hash, and null for an unknown block', async () => {
  const hash = await send()
  await node.nextFlashblock()
  const receipts = await node.result('eth_getBlockReceipts', 'pending')
  expect(receipts).toEqual([await node.result('eth_getTransactionReceipt', hash)])
  const pending = await node.result('eth_getBlockByNumber', 'pending', false)
  expect(await node.result('eth_getBlockReceipts', pending.hash)).toEqual(receipts)
  expect(await node.result('eth_getBlockReceipts', '0x0')).toEqual([])
  expect(await node.result('eth_getBlockReceipts', '0xff')).toBeNull()
  expect(await node.result('eth_getBlockReceipts', `0x${'00'.repeat(32)}`)).toBeNull()
})
