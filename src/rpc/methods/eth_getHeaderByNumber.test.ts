import { beforeEach, expect, test } from 'vitest'
import { type RpcNode, startRpcNode } from '../../../test/support/rpc-node.ts'

let node: RpcNode
beforeEach(async () => {
  node = await startRpcNode()
})
test.each(['latest', 'pending', 'earliest', '0x1'])(
  'returns the members of the block at %s that belong to its header',
  async (height) => {
    await node.nextBlock()
    await node.nextFlashblock()
    const {
      size: _,
      transactions: __,
      uncles: ___,
      withdrawals: ____,
      ...header
    } = await node.result('eth_getBlockByNumber', height, false)
    expect(await node.result('eth_getHeaderByNumber', height)).toEqual(header)
  },
)

test('returns null for an unknown block', async () => {
  expect(await node.result('eth_getHeaderByNumber', '0xffff')).toBeNull()
})
