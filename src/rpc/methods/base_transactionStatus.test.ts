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

test('reports a transaction as known from submission on, and others as unknown', async () => {
  expect(await node.result('base_transactionStatus', `0x${'00'.repeat(32)}`)).toEqual({ status: 'Unknown' })
  const hash = await send()
  expect(await node.result('base_transactionStatus', hash)).toEqual({ status: 'Known' })
  await node.nextFlashblock()
  expect(await node.result('base_transactionStatus', hash)).toEqual({ status: 'Known' })
  await node.nextBlock()
  expect(await node.result('base_transactionStatus', hash)).toEqual({ status: 'Known' })
})
