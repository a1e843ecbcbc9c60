import { beforeEach, expect, test } from 'vitest'
import { EMITTER, signDeployment } from '../../../test/support/log-emitter.ts'
import { type RpcNode, startRpcNode } from '../../../test/support/rpc-node.ts'

let node: RpcNode
beforeEach(async () => {
  node = await startRpcNode()
})
test('estimates a transfer exactly, and at pending sees a contract of the open block', async () => {
  expect(await node.result('eth_estimateGas', { to: `0x${'99'.repeat(20)}` })).toBe('0x5208')
  const call = { to: EMITTER, input: `0x${'11'.repeat(32)}` }
  const before = Number(await node.result('eth_estimateGas', call))
  await node.result('eth_sendRawTransaction', signDeployment().raw)
  await node.nextFlashblock()
  expect(Number(await node.result('eth_estimateGas', call))).toBeGreaterThan(before)
  expect(Number(await node.result('eth_estimateGas', call, 'latest'))).toBe(before)
})

test('rejects gas that the balance cannot pay with a code that clients do not retry', async () => {
  const call = { from: `0x${'09'.repeat(20)}`, to: `0x${'99'.repeat(20)}`, value: '0x1' }
  expect((await node.request('eth_estimateGas', call)).error?.code).toBe(-32000)
})
