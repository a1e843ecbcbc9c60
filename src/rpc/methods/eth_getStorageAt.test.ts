import { beforeEach, expect, test } from 'vitest'
import { type RpcNode, startRpcNode } from '../../../test/support/rpc-node.ts'

let node: RpcNode
beforeEach(async () => {
  node = await startRpcNode()
})
const ACCOUNT = `0x${'99'.repeat(20)}`

test.each(['0x0', '0x00', '0x', '0', `0x${'0'.repeat(64)}`])('accepts %j as a slot', async (key) => {
  expect(await node.result('eth_getStorageAt', ACCOUNT, key, 'latest')).toBe(`0x${'0'.repeat(64)}`)
})

test.each([
  [`0x${'0'.repeat(65)}`, `storage key too long (want at most 32 bytes): "0x${'0'.repeat(65)}"`],
  ['0xasdf', 'invalid hex in storage key: "0xasdf"'],
  ['', 'invalid hex in storage key: ""'],
])('rejects %j as a slot', async (key, message) => {
  expect((await node.request('eth_getStorageAt', ACCOUNT, key, 'latest')).error).toEqual({ code: -32602, message })
})

test('returns the parent hash from the history contract (EIP-2935)', async () => {
  await node.nextBlock()
  const { parentHash } = await node.result('eth_getBlockByNumber', 'latest', false)
  const history = '0x0000F90827F1C53a10cb7A02335B175320002935'
  expect(await node.result('eth_getStorageAt', history, '0x0', 'latest')).toBe(parentHash)
  expect(await node.result('eth_getStorageAt', history, '0x0', '0x0')).toBe(`0x${'0'.repeat(64)}`)
})
