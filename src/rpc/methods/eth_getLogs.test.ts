import { beforeEach, expect, test } from 'vitest'
import { deployEmitter, EMITTER, signEmission, topicOf } from '../../../test/support/log-emitter.ts'
import { type RpcNode, startRpcNode } from '../../../test/support/rpc-node.ts'
import { MemoizedLogs } from '../logs/memoized-logs.ts'
import { searchLogRange } from '../queries/log-search.ts'

let node: RpcNode
beforeEach(async () => {
  node = await startRpcNode()
  await deployEmitter(node)
})
async function emit(nonce: bigint, topic: number): Promise<string> {
  const { hash, raw } = signEmission(nonce, topicOf(topic))
  await node.result('eth_sendRawTransaction', raw)
  return hash
}

async function topics(filter: object): Promise<unknown[]> {
  const logs = (await node.result('eth_getLogs', filter)) as unknown as { topics: string[] }[]
  return logs.map((log) => Number(log.topics[0]))
}

test('a range up to pending has each log once, at every flashblock', async () => {
  await emit(1n, 1)
  await node.nextBlock()
  await emit(2n, 2)
  await node.nextFlashblock()
  await emit(3n, 3)
  for (let step = 0; step < 25; step++) {
    await node.nextFlashblock()
    expect(await topics({ fromBlock: '0x0', toBlock: 'pending' })).toEqual([1, 2, 3])
  }
})

test('pending logs have number, timestamp and the partial hash, by which they can be queried', async () => {
  const hash = await emit(1n, 7)
  await node.nextFlashblock()
  const pending = await node.result('eth_getBlockByNumber', 'pending', false)
  const logs = await node.result('eth_getLogs', { fromBlock: 'pending', toBlock: 'pending' })
  expect(logs).toEqual([
    {
      address: EMITTER,
      topics: [topicOf(7)],
      data: topicOf(0),
      blockNumber: '0x2',
      blockTimestamp: pending.timestamp,
      blockHash: pending.hash,
      transactionHash: hash,
      transactionIndex: '0x0',
      logIndex: '0x0',
      removed: false,
    },
  ])
  await emit(2n, 8)
  await node.nextFlashblock()
  expect(await node.result('eth_getLogs', { blockHash: pending.hash })).toEqual(logs)
})

test('the default range is latest, and addresses and topics restrict it', async () => {
  await emit(1n, 5)
  await node.nextBlock()
  expect(await topics({})).toEqual([5])
  expect(await topics({ address: EMITTER, topics: [[topicOf(4), topicOf(5)]] })).toEqual([5])
  expect(await topics({ address: [EMITTER], topics: [null] })).toEqual([5])
  expect(await topics({ topics: [topicOf(6)] })).toEqual([])
  expect(await topics({ topics: [null, null] })).toEqual([5])
  expect(await topics({ topics: [null, topicOf(5)] })).toEqual([])
  expect(await topics({ address: `0x${'11'.repeat(20)}` })).toEqual([])
})

test('dialect base ignores the range with blockHash, and dialect ethereum rejects it', async () => {
  await emit(1n, 5)
  await node.nextBlock()
  const { hash } = await node.result('eth_getBlockByNumber', 'latest', false)
  expect(await topics({ blockHash: hash, fromBlock: '0xffff' })).toEqual([5])
  const other = await startRpcNode({ dialect: 'ethereum' })
  const genesis = await other.result('eth_getBlockByNumber', 'latest', false)
  const response = await other.request('eth_getLogs', { blockHash: genesis.hash, fromBlock: '0x0' })
  expect(response.error?.code).toBe(-32602)
  await other.stop()
})

test('limits the logs of a response', async () => {
  const bounded = await startRpcNode({ maxLogs: 1 })
  await deployEmitter(bounded)
  for (const nonce of [1n, 2n]) await bounded.result('eth_sendRawTransaction', signEmission(nonce, topicOf(1)).raw)
  await bounded.nextFlashblock()
  const { error } = await bounded.request('eth_getLogs', { fromBlock: 'pending', toBlock: 'pending' })
  expect(error).toEqual({
    code: -32602,
    message: 'query exceeds max results 1, retry with more criteria: block 0x2 alone has too many',
  })
  await bounded.stop()
})

test('rejects a response above the limits of logs and bytes, and suggests a range that fits', async () => {
  for (const [limits, reason] of [
    [{ maxLogs: 2 }, 'query exceeds max results 2'],
    [{ maxLogBytes: 1_500 }, 'query exceeds max answer size of 1500 bytes'],
  ] as const) {
    const bounded = await startRpcNode(limits)
    await deployEmitter(bounded)
    for (const nonce of [1n, 2n, 3n]) {
      await bounded.result('eth_sendRawTransaction', signEmission(nonce, topicOf(1)).raw)
      await bounded.nextBlock()
    }
    const { error } = await bounded.request('eth_getLogs', { fromBlock: '0x0', toBlock: '0x4' })
    expect(error).toEqual({ code: -32602, message: `${reason}, retry with the range 0x0-0x3` })
    expect(await bounded.result('eth_getLogs', { fromBlock: '0x0', toBlock: '0x3' })).toHaveLength(2)
    await bounded.stop()
  }
})

test('a query over many logs yields, and finds each log once', async () => {
  for (let nonce = 1; nonce <= 12; nonce++) {
    await emit(BigInt(nonce), nonce)
    if (nonce % 4 === 0) await node.nextBlock()
  }
  const wanted = await topics({ fromBlock: '0x0', toBlock: 'pending' })
  const view = node.node.view()
  const range = { from: 0, to: view.head.sealed.latest }
  // Each read of the clock advances it by 3 ms, so that a time slice ends within a block.
  let time = 0
  let yieldsGiven = 0
  const found = await searchLogRange({ addresses: [], topics: [] }, range, {
    view,
    options: node.options,
    now: () => (time += 3),
    yieldIfDue: () => {
      yieldsGiven += 1
      return true
    },
    grown: () => {},
    memoizedLogs: new MemoizedLogs({ maxBytes: 0 }),
  })
  const foundTopics = (JSON.parse(found.text) as { topics: string[] }[]).map((log) => Number(log.topics[0]))
  expect(foundTopics).toEqual(wanted)
  expect(wanted).toHaveLength(12)
  expect(yieldsGiven).toBeGreaterThan(3)
})

test('rejects a query at its time limit and suggests how to reduce it', async () => {
  const view = node.node.view()
  let time = 0
  const searching = searchLogRange(
    { addresses: [], topics: [] },
    { from: 0, to: 1 },
    {
      view,
      options: { ...node.options, logTimeoutMs: 5 },
      now: () => (time += 3),
      yieldIfDue: () => true,
      grown: () => {},
      memoizedLogs: new MemoizedLogs({ maxBytes: 0 }),
    },
  )
  await expect(searching).rejects.toMatchObject({
    code: -32002,
    message: 'query takes longer than 5 ms, retry with a smaller range or more criteria',
  })
})

test.each([
  [{ fromBlock: '0x0', toBlock: '0x2' }, -32602, 'block range extends beyond current head block'],
  [{ fromBlock: '0x9' }, -32602, 'block range extends beyond current head block'],
  [{ blockHash: `0x${'22'.repeat(32)}` }, -32000, 'unknown block'],
  [{ topics: [null, null, null, null, null] }, -32000, 'exceed max topics'],
  [{ address: '0x12' }, -32602, 'invalid argument 0: address: hex string has length 2, want 40 for 20 bytes'],
  [{ topics: [['0x1']] }, -32602, 'invalid argument 0: topics[0][0]: hex string of odd length'],
  [{ fromBlock: 'head' }, -32602, 'invalid argument 0: fromBlock: hex string without 0x prefix'],
  ['0x', -32602, 'invalid argument 0: expected an object, got a string'],
])('rejects %j with %i %s', async (filter, code, message) => {
  expect((await node.request('eth_getLogs', filter)).error).toEqual({ code, message })
})

test.each([
  [{ fromBlock: '0x1', toBlock: '0x0' }, 'fromBlock 0x1 is after toBlock 0x0'],
  [{ fromBlock: '0x9', toBlock: '0x8' }, 'fromBlock 0x9 is after toBlock 0x8'],
  [{ fromBlock: 'pending' }, 'fromBlock pending is after toBlock latest'],
])('rejects the reversed range %j and names its members', async (filter, members) => {
  const { error } = await node.request('eth_getLogs', filter)

  expect(error).toEqual({ code: -32602, message: `invalid block range params: ${members}` })
})
