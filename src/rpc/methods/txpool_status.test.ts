import { beforeEach, expect, test } from 'vitest'
import { type RpcNode, startRpcNode } from '../../../test/support/rpc-node.ts'
import { signTransfer } from '../../../test/support/transfers.ts'
import { bytesToHex } from '../../primitives/hex.ts'

let node: RpcNode
beforeEach(async () => {
  node = await startRpcNode()
})
test('counts executable and nonce-gapped transactions', async () => {
  expect(await node.result('txpool_status')).toEqual({ pending: '0x0', queued: '0x0' })
  for (const nonce of [0n, 1n, 5n]) {
    await node.result('eth_sendRawTransaction', bytesToHex(signTransfer({ nonce }).raw))
  }
  await node.result('eth_sendRawTransaction', bytesToHex(signTransfer({ from: 1, nonce: 3n }).raw))
  expect(await node.result('txpool_status')).toEqual({ pending: '0x2', queued: '0x2' })
  await node.nextFlashblock()
  expect(await node.result('txpool_status')).toEqual({ pending: '0x0', queued: '0x2' })
})
