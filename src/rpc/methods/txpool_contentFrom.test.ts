import { beforeEach, expect, test } from 'vitest'
import { type RpcNode, startRpcNode } from '../../../test/support/rpc-node.ts'
import { signTransfer } from '../../../test/support/transfers.ts'
import { DEVELOPMENT_ACCOUNTS } from '../../chain/accounts/development-accounts.ts'
import { bytesToHex } from '../../primitives/hex.ts'

let node: RpcNode
beforeEach(async () => {
  node = await startRpcNode()
})
test('returns the transactions of one sender by decimal nonce', async () => {
  for (const [from, nonce] of [
    [0, 0n],
    [0, 2n],
    [1, 0n],
  ] as const) {
    await node.result('eth_sendRawTransaction', bytesToHex(signTransfer({ from, nonce }).raw))
  }
  const from = DEVELOPMENT_ACCOUNTS[0]!.address
  expect(await node.result('txpool_contentFrom', from)).toMatchObject({
    pending: { 0: { from, nonce: '0x0' } },
    queued: { 2: { from, nonce: '0x2' } },
  })
  expect(await node.result('txpool_contentFrom', DEVELOPMENT_ACCOUNTS[2]!.address)).toEqual({ pending: {}, queued: {} })
})
