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

test('counts the transactions of the open block so far, and returns null for an unknown block', async () => {
  await send()
  expect(await node.result('eth_getBlockTransactionCountByNumber', 'pending')).toBe('0x0')
  await node.nextFlashblock()
  expect(await node.result('eth_getBlockTransactionCountByNumber', 'pending')).toBe('0x1')
  expect(await node.result('eth_getBlockTransactionCountByNumber', 'latest')).toBe('0x0')
  expect(await node.result('eth_getBlockTransactionCountByNumber', '0xff')).toBeNull()
})
