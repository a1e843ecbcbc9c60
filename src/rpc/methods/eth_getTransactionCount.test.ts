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

test('counts the pool and flashblocks at pending, and sealed blocks at latest', async () => {
  await send()
  const { from } = signTransfer({ nonce: 0n })
  const counts = async () => [
    await node.result('eth_getTransactionCount', from, 'pending'),
    await node.result('eth_getTransactionCount', from),
  ]
  expect(await counts()).toEqual(['0x1', '0x0'])
  await node.nextFlashblock()
  expect(await counts()).toEqual(['0x1', '0x0'])
  await node.nextBlock()
  expect(await counts()).toEqual(['0x1', '0x1'])
})
