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

test('a transaction has no position while pooled, then that in the partial block, then that in the sealed one', async () => {
  const hash = await send()
  expect(await node.result('eth_getTransactionByHash', hash)).toMatchObject({
    blockHash: null,
    blockNumber: null,
    transactionIndex: null,
    gasPrice: '0x2540be400',
    value: '0x5',
  })
  await node.nextFlashblock()
  const pending = await node.result('eth_getBlockByNumber', 'pending', true)
  const found = await node.result('eth_getTransactionByHash', hash)
  expect([found]).toEqual(pending.transactions)
  expect(found).toMatchObject({ blockHash: pending.hash, blockNumber: '0x1', blockTimestamp: pending.timestamp })
  expect(Number(found.gasPrice)).toBe(Number(pending.baseFeePerGas) + 1_000_000)
  await node.nextBlock()
  const latest = await node.result('eth_getBlockByNumber', 'latest', false)
  expect(await node.result('eth_getTransactionByHash', hash)).toEqual({ ...found, blockHash: latest.hash })
  expect(await node.result('eth_getTransactionByHash', `0x${'00'.repeat(32)}`)).toBeNull()
})
