import { afterEach, beforeEach, expect, test } from 'vitest'
import { type RpcNode, startRpcNode } from '../../../test/support/rpc-node.ts'

let node: RpcNode
beforeEach(async () => {
  node = await startRpcNode()
})
afterEach(() => node.stop())

test.each(['latest', 'pending', 'earliest', '0x1'])('at %s it is the block without what is in it', async (height) => {
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
})

test('no block, no header', async () => {
  expect(await node.result('eth_getHeaderByNumber', '0xffff')).toBeNull()
})
