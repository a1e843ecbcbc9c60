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

test('returns the transaction at the index, or null', async () => {
  const hash = await send()
  await node.nextFlashblock()
  const found = await node.result('eth_getTransactionByBlockNumberAndIndex', 'pending', '0x0')
  expect(found).toEqual(await node.result('eth_getTransactionByHash', hash))
  expect(await node.result('eth_getTransactionByBlockNumberAndIndex', 'pending', '0x1')).toBeNull()
  expect(await node.result('eth_getTransactionByBlockNumberAndIndex', '0xff', '0x0')).toBeNull()
})
