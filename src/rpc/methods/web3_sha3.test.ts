import { beforeEach, expect, test } from 'vitest'
import { type RpcNode, startRpcNode } from '../../../test/support/rpc-node.ts'

let node: RpcNode
beforeEach(async () => {
  node = await startRpcNode()
})
test('returns the known keccak-256 hash of no bytes', async () => {
  expect(await node.result('web3_sha3', '0x')).toBe(
    '0xc5d2460186f7233c927e7db2dcc703c0e500b653ca82273b7bfad8045d85a470',
  )
  expect((await node.request('web3_sha3', '0x1')).error?.code).toBe(-32602)
})
