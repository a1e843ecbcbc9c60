import { beforeEach, expect, test } from 'vitest'
import { type RpcNode, startRpcNode } from '../../../test/support/rpc-node.ts'
import { signTransfer } from '../../../test/support/transfers.ts'
import { bytesToHex } from '../../primitives/hex.ts'

let node: RpcNode
beforeEach(async () => {
  node = await startRpcNode()
})
test('returns hashes or objects of pooled transactions, included ones with their position', async () => {
  const hashes = await node.result('eth_newPendingTransactionFilter')
  const objects = await node.result('eth_newPendingTransactionFilter', true)
  const [first, queued] = [signTransfer({ nonce: 0n }), signTransfer({ nonce: 5n })]
  for (const { raw } of [first, queued]) await node.result('eth_sendRawTransaction', bytesToHex(raw))
  expect(await node.result('eth_getFilterChanges', hashes)).toEqual([first.hash, queued.hash])
  await node.nextFlashblock()
  expect(await node.result('eth_getFilterChanges', objects)).toMatchObject([
    { hash: first.hash, blockNumber: '0x1', transactionIndex: '0x0' },
    { hash: queued.hash, blockNumber: null },
  ])
  expect(await node.result('eth_getFilterChanges', hashes)).toEqual([])
})

test('the next poll returns objects that exceed the size limit of a response', async () => {
  const bounded = await startRpcNode({ maxLogBytes: 1_000 })
  const id = await bounded.result('eth_newPendingTransactionFilter', true)
  const sent = [0n, 1n, 2n].map((nonce) => signTransfer({ nonce }))
  for (const { raw } of sent) await bounded.result('eth_sendRawTransaction', bytesToHex(raw))
  for (const { hash } of sent) expect(await bounded.result('eth_getFilterChanges', id)).toMatchObject([{ hash }])
  expect(await bounded.result('eth_getFilterChanges', id)).toEqual([])
  await bounded.stop()
})
