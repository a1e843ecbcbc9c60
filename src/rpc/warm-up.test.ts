import { beforeEach, expect, test } from 'vitest'
import { type RpcNode, startRpcNode } from '../../test/support/rpc-node.ts'
import { toAddress } from '../primitives/hex.ts'
import { warmUp } from './warm-up.ts'

/** WETH9. */
const CONTRACT = toAddress('0x4200000000000000000000000000000000000006')

let node: RpcNode
beforeEach(async () => {
  node = await startRpcNode()
})
test('every warm-up request succeeds, and leaves the node unchanged', async () => {
  const before = await node.result('eth_getBlockByNumber', 'pending', true)
  const responses = new Set<string>()
  const counted = {
    async handle(text: string) {
      const response = await node.rpc.handle(text)
      expect(JSON.parse(response!)).not.toHaveProperty('error')
      responses.add(text)
      return response
    },
  }
  await warmUp(counted, { limitMs: 60_000, contracts: [CONTRACT] }, () => performance.now())
  expect(responses.size).toBe(11)
  expect(await node.result('eth_getBlockByNumber', 'pending', true)).toEqual(before)
})

test('ends at its deadline', async () => {
  let requested = 0
  let time = 0
  const rpc = {
    handle() {
      requested++
      time += 10
      return Promise.resolve(undefined)
    },
  }
  await warmUp(rpc, { limitMs: 100, contracts: [CONTRACT] }, () => time)
  expect(requested).toBe(10)
})
