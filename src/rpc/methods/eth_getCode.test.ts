import { beforeEach, expect, test } from 'vitest'
import { EMITTER, EMITTER_CODE, signDeployment } from '../../../test/support/log-emitter.ts'
import { type RpcNode, startRpcNode } from '../../../test/support/rpc-node.ts'

let node: RpcNode
beforeEach(async () => {
  node = await startRpcNode()
})
test('returns the code of a new contract at pending before its block is sealed', async () => {
  await node.result('eth_sendRawTransaction', signDeployment().raw)
  await node.nextFlashblock()
  expect(await node.result('eth_getCode', EMITTER, 'pending')).toBe(EMITTER_CODE)
  expect(await node.result('eth_getCode', EMITTER, 'latest')).toBe('0x')
  await node.nextBlock()
  expect(await node.result('eth_getCode', EMITTER)).toBe(EMITTER_CODE)
})
