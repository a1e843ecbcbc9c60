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

test('returns the number of transactions as of a partial hash', async () => {
  const empty = await node.result('eth_getBlockByNumber', 'pending', false)
  await send()
  await node.nextFlashblock()
  const { hash } = await node.result('eth_getBlockByNumber', 'pending', false)
  expect(await node.result('eth_getBlockTransactionCountByHash', empty.hash)).toBe('0x0')
  expect(await node.result('eth_getBlockTransactionCountByHash', hash)).toBe('0x1')
  expect(await node.result('eth_getBlockTransactionCountByHash', `0x${'00'.repeat(32)}`)).toBeNull()
})
