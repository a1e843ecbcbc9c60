import { beforeEach, expect, test } from 'vitest'
import { type RpcNode, startRpcNode } from '../../../test/support/rpc-node.ts'
import { signTransfer } from '../../../test/support/transfers.ts'
import { DEVELOPMENT_ACCOUNTS } from '../../chain/accounts/development-accounts.ts'
import { checksumAddress } from '../../primitives/checksum-address.ts'
import { bytesToHex } from '../../primitives/hex.ts'

let node: RpcNode
beforeEach(async () => {
  node = await startRpcNode()
})
const SENDER = checksumAddress(DEVELOPMENT_ACCOUNTS[0]!.address)

async function send(to: RpcNode) {
  const transactions = [0n, 7n].map((nonce) => signTransfer({ nonce }))
  for (const { raw } of transactions) await to.result('eth_sendRawTransaction', bytesToHex(raw))
  return transactions
}

test('groups transactions by checksum address and decimal nonce', async () => {
  const [ready, queued] = await send(node)
  const content = await node.result('txpool_content')
  expect(content).toMatchObject({
    pending: { [SENDER]: { 0: { hash: ready!.hash, blockNumber: null } } },
    queued: { [SENDER]: { 7: { hash: queued!.hash } } },
  })
  expect(Object.keys(content.pending as object)).toEqual([SENDER])
})

test('rejects a response above the size limit and suggests txpool_contentFrom', async () => {
  const bounded = await startRpcNode({ maxPoolResponseBytes: 1_000 })
  await send(bounded)
  expect((await bounded.request('txpool_content')).error).toMatchObject({
    code: -32003,
    message: expect.stringContaining('txpool_contentFrom'),
  })
  expect((await bounded.request('txpool_inspect')).error).toBeUndefined()
  await bounded.stop()
})
