import { beforeEach, expect, test } from 'vitest'
import { deployEmitter, signEmission, topicOf } from '../../../test/support/log-emitter.ts'
import { type RpcNode, startRpcNode } from '../../../test/support/rpc-node.ts'

let node: RpcNode
beforeEach(async () => {
  node = await startRpcNode()
  await deployEmitter(node)
})
const emit = (nonce: bigint) => node.result('eth_sendRawTransaction', signEmission(nonce, topicOf(Number(nonce))).raw)

async function topics(id: unknown): Promise<number[]> {
  const logs = (await node.result('eth_getFilterChanges', id)) as unknown as { topics: string[] }[]
  return logs.map((log) => Number(log.topics[0]))
}

test.each([
  [{ toBlock: 'pending' }, [1], []],
  [{ fromBlock: 'pending' }, [1], []],
  [{ fromBlock: 'pending', toBlock: 'pending' }, [1], []],
  [{}, [], [1]],
  [{ fromBlock: 'latest', toBlock: 'latest' }, [], [1]],
  [{ fromBlock: '0x2' }, [], [1]],
  [{ fromBlock: '0x3' }, [], []],
  [{ fromBlock: '0x0', toBlock: '0x1' }, [], []],
  [{ toBlock: 'pending', topics: [topicOf(9)] }, [], []],
])('%j returns logs %j at the flashblock and %j at the seal', async (filter, atFlashblock, atSeal) => {
  const id = await node.result('eth_newFilter', filter)
  await emit(1n)
  await node.nextFlashblock()
  expect(await topics(id)).toEqual(atFlashblock)
  await node.nextBlock()
  expect(await topics(id)).toEqual(atSeal)
})

test.each([
  { fromBlock: '0x5', toBlock: '0x4' },
  { fromBlock: 'pending', toBlock: 'latest' },
  { fromBlock: 'latest', toBlock: 'finalized' },
  { fromBlock: '0x1', toBlock: 'earliest' },
])('rejects the reversed range %j and names its members', async (filter) => {
  expect((await node.request('eth_newFilter', filter)).error).toEqual({
    code: -32602,
    message: `invalid block range params: fromBlock ${filter.fromBlock} is after toBlock ${filter.toBlock}`,
  })
})

test('filter ids are 128 random bits', async () => {
  expect(await node.result('eth_newFilter', {})).toBe(`0x1${'01'.repeat(15)}`)
  expect(await node.result('eth_newFilter', {})).toBe(`0x2${'02'.repeat(15)}`)
})
