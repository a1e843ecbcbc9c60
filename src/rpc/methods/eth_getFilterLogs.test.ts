import { beforeEach, expect, test } from 'vitest'
import { deployEmitter, signEmission, topicOf } from '../../../test/support/log-emitter.ts'
import { type RpcNode, startRpcNode } from '../../../test/support/rpc-node.ts'

let node: RpcNode
beforeEach(async () => {
  node = await startRpcNode()
})
test('returns all logs of the filter, polled or not; none for a filter of future blocks', async () => {
  await deployEmitter(node)
  await node.result('eth_sendRawTransaction', signEmission(1n, topicOf(1)).raw)
  await node.nextBlock()
  await node.result('eth_sendRawTransaction', signEmission(2n, topicOf(2)).raw)
  await node.nextFlashblock()
  const topics = async (filter: object) => {
    const logs = (await node.result('eth_getFilterLogs', await node.result('eth_newFilter', filter))) as unknown as {
      topics: string[]
    }[]
    return logs.map((log) => Number(log.topics[0]))
  }
  expect(await topics({ fromBlock: '0x0', toBlock: 'pending' })).toEqual([1, 2])
  expect(await topics({ fromBlock: '0x0' })).toEqual([1])
  expect(await topics({ fromBlock: '0xff' })).toEqual([])
  expect(await topics({ fromBlock: '0x0', toBlock: '0xff' })).toEqual([1])
  const { hash } = await node.result('eth_getBlockByNumber', '0x2', false)
  expect(await topics({ blockHash: hash })).toEqual([1])
})

test('rejects a filter that does not select logs', async () => {
  const id = await node.result('eth_newBlockFilter')
  expect((await node.request('eth_getFilterLogs', id)).error).toEqual({ code: -32000, message: 'filter not found' })
})
