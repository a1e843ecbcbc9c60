import { beforeEach, expect, test } from 'vitest'
import { deployEmitter, signEmission, topicOf } from '../../../test/support/log-emitter.ts'
import { type RpcNode, startRpcNode } from '../../../test/support/rpc-node.ts'

let node: RpcNode
beforeEach(async () => {
  node = await startRpcNode()
})
test('after an unwinding, returns logs as removed, newest first, then the replacing ones', async () => {
  await deployEmitter(node)
  const id = await node.result('eth_newFilter', { toBlock: 'pending' })
  const emit = (nonce: bigint, topic: number) =>
    node.result('eth_sendRawTransaction', signEmission(nonce, topicOf(topic)).raw)
  await emit(1n, 1)
  await node.nextBlock()
  await emit(2n, 2)
  await node.nextFlashblock()
  const seen = async () => {
    const logs = (await node.result('eth_getFilterChanges', id)) as unknown as { topics: string[]; removed: boolean }[]
    return logs.map(({ topics, removed }) => [Number(topics[0]), removed])
  }
  expect(await seen()).toEqual([
    [1, false],
    [2, false],
  ])
  await node.result('debug_setHead', '0x1')
  await emit(1n, 3)
  await node.nextFlashblock()
  expect(await seen()).toEqual([
    [2, true],
    [1, true],
    [3, false],
  ])
  expect(await seen()).toEqual([])
})

test('reports an unknown id as not found', async () => {
  const { error } = await node.request('eth_getFilterChanges', '0x1234')
  expect(error).toEqual({ code: -32000, message: 'filter not found' })
})
