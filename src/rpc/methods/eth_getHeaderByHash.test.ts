import { beforeEach, expect, test } from 'vitest'
import { type RpcNode, startRpcNode } from '../../../test/support/rpc-node.ts'
import { signTransfer } from '../../../test/support/transfers.ts'
import { bytesToHex } from '../../primitives/hex.ts'

let node: RpcNode
beforeEach(async () => {
  node = await startRpcNode()
})
test('finds sealed and pending headers, and those replaced by a later flashblock', async () => {
  const names = ['earliest', 'pending']
  const before = await node.result('eth_getHeaderByNumber', 'pending')
  await node.result('eth_sendRawTransaction', bytesToHex(signTransfer({ nonce: 0n }).raw))
  await node.nextFlashblock()
  for (const name of names) {
    const header = await node.result('eth_getHeaderByNumber', name)
    expect(await node.result('eth_getHeaderByHash', header.hash)).toEqual(header)
    expect(header.hash).not.toBe(before.hash)
  }
  expect(await node.result('eth_getHeaderByHash', before.hash)).toEqual(before)
  expect(await node.result('eth_getHeaderByHash', `0x${'12'.repeat(32)}`)).toBeNull()
})
