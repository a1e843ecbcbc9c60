import { beforeEach, expect, test } from 'vitest'
import { deployEmitter, EMITTER, signEmission, topicOf } from '../../../test/support/log-emitter.ts'
import { type RpcNode, startRpcNode } from '../../../test/support/rpc-node.ts'

let node: RpcNode
beforeEach(async () => {
  node = await startRpcNode()
  await deployEmitter(node)
})
const SENDER = '0xf39fd6e51aad88f6f4ce6ab8827279cfffb92266'
const EVERYTHING = { fromBlock: 'earliest', toBlock: 'pending', address: EMITTER }

async function emit(nonce: bigint, topic: number): Promise<string> {
  const { raw, hash } = signEmission(nonce, topicOf(topic))
  await node.result('eth_sendRawTransaction', raw)
  return hash
}

/** Everything that a client can read about the chain at one block. */
async function knownAt(height: string): Promise<unknown> {
  return Promise.all([
    node.request('eth_getBlockByNumber', height, true),
    node.request('eth_getBlockReceipts', height),
    node.request('eth_getBalance', SENDER, height),
    node.request('eth_getTransactionCount', SENDER, height),
    node.request('eth_getProof', SENDER, [], height),
    node.request('eth_getLogs', { fromBlock: 'earliest', toBlock: height }),
  ])
}

interface Notification {
  readonly params: {
    readonly result: { readonly removed: boolean; readonly topics: string[]; readonly logIndex: string }
  }
}

test('restores the chain as of the block, and continues from there', async () => {
  const before = await knownAt('0x1')
  const lost = await emit(1n, 1)
  await node.nextBlock()
  await emit(2n, 2)
  await node.nextFlashblock()
  const gone = await node.result('eth_getBlockByNumber', '0x2', false)

  expect(await node.result('debug_setHead', '0x1')).toBeNull()
  expect(await node.result('eth_blockNumber')).toBe('0x1')
  expect(await knownAt('0x1')).toEqual(before)
  expect(await node.result('eth_getBlockByHash', gone.hash, false)).toBeNull()
  expect(await node.result('eth_getBlockByNumber', '0x2', false)).toBeNull()
  expect(await node.result('eth_getTransactionByHash', lost)).toBeNull()
  expect(await node.result('eth_getLogs', EVERYTHING)).toEqual([])
  expect(await node.result('eth_getTransactionCount', SENDER, 'pending')).toBe('0x1')

  const replacement = await emit(1n, 3)
  await node.nextBlock()
  const block = await node.result('eth_getBlockByNumber', '0x2', false)
  expect(block.transactions).toEqual([replacement])
  expect(await node.result('eth_getLogs', EVERYTHING)).toMatchObject([{ topics: [topicOf(3)], removed: false }])
  expect(node.logged).toEqual([])
})

test('an unwound block is followed by one with a later timestamp, so that none of its hashes recurs', async () => {
  const hashes = new Set<string>()
  for (let round = 0; round < 3; round++) {
    const { hash, number } = await node.result('eth_getBlockByNumber', 'pending', false)
    expect(number).toBe('0x2')
    hashes.add(String(hash))
    await node.result('debug_setHead', '0x1')
  }
  expect(hashes.size).toBe(3)
  await node.nextBlock()
  const [first, second] = [
    await node.result('eth_getBlockByNumber', '0x1', false),
    await node.result('eth_getBlockByNumber', '0x2', false),
  ]
  expect(Number(second.timestamp)).toBeGreaterThan(Number(first.timestamp))
})

test('announces logs of unwound sealed and pre-confirmed blocks as removed, newest first', async () => {
  const messages: Record<string, Notification[]> = { logs: [], pendingLogs: [] }
  for (const kind of ['logs', 'pendingLogs']) {
    const connection = node.rpc.connect((text) => {
      const message = JSON.parse(text)
      if (message.method === 'eth_subscription') messages[kind]!.push(message)
    })
    await connection.receive(JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'eth_subscribe', params: [kind, {}] }))
  }
  await emit(1n, 1)
  await emit(2n, 2)
  await node.nextBlock()
  await emit(3n, 3)
  await node.nextBlock()
  await emit(4n, 4)
  await node.nextFlashblock()
  const seen = (kind: string) =>
    messages[kind]!.map(({ params: { result } }) => [result.removed, Number(result.topics[0])])
  expect(seen('logs')).toEqual([1, 2, 3].map((topic) => [false, topic]))
  await node.result('debug_setHead', '0x1')
  expect(seen('logs').slice(3)).toEqual([3, 2, 1].map((topic) => [true, topic]))
  expect(seen('pendingLogs').slice(4)).toEqual([4, 3, 2, 1].map((topic) => [true, topic]))
})

test('rejects a block above the head and one below the finalized block without any change', async () => {
  const shallow = await startRpcNode({}, { finalityDepth: 2 })
  for (let block = 0; block < 6; block++) await shallow.nextBlock()
  const facts = await shallow.result('eth_getBlockByNumber', 'pending', true)
  expect((await shallow.request('debug_setHead', '0x7')).error).toMatchObject({ code: -32000 })
  expect((await shallow.request('debug_setHead', '0x3')).error).toEqual({
    code: -32000,
    message: 'block 3 is below the finalized block 4, which stays',
  })
  expect(await shallow.result('eth_getBlockByNumber', 'pending', true)).toEqual(facts)
  await shallow.nextBlock()
  expect(await shallow.result('eth_blockNumber')).toBe('0x7')
  expect(await shallow.result('debug_setHead', '0x5')).toBeNull()
  await shallow.stop()
})

test('finalized blocks stay finalized when blocks are unwound, and cannot be unwound', async () => {
  const shallow = await startRpcNode({}, { finalityDepth: 2 })
  for (let block = 0; block < 6; block++) await shallow.nextBlock()
  await shallow.node.idle()
  const finalized = async () => (await shallow.result('eth_getBlockByNumber', 'finalized', false)).number
  expect(await finalized()).toBe('0x4')
  expect(await shallow.result('debug_setHead', '0x4')).toBeNull()
  expect(await finalized()).toBe('0x4')
  expect((await shallow.request('debug_setHead', '0x3')).error).toEqual({
    code: -32000,
    message: 'block 3 is below the finalized block 4, which stays',
  })
  for (let block = 0; block < 3; block++) {
    await shallow.nextBlock()
    await shallow.node.idle()
    expect(await finalized()).toBe(block < 2 ? '0x4' : '0x5')
  }
  await shallow.stop()
})

test('refuses a block whose state is pruned, and continues', async () => {
  const pruned = await startRpcNode({}, { history: 2 })
  for (let block = 0; block < 6; block++) await pruned.nextBlock()
  await pruned.node.idle()
  const facts = await pruned.result('eth_getBlockByNumber', 'pending', true)
  expect((await pruned.request('debug_setHead', '0x1')).error).toEqual({
    code: -32000,
    message:
      'the state of block 1 is not kept any more: go back to block 4 or a later one, or run with a longer --history',
  })
  expect(await pruned.result('eth_getBlockByNumber', 'pending', true)).toEqual(facts)
  await pruned.nextBlock()
  expect(await pruned.result('debug_setHead', '0x5')).toBeNull()
  await pruned.nextBlock()
  expect(await pruned.result('eth_blockNumber')).toBe('0x6')
  expect(pruned.logged).toEqual([])
  await pruned.stop()
})

test('a sender can submit transactions again that an unwinding has removed', async () => {
  await emit(1n, 1)
  await node.nextBlock()
  await emit(3n, 3)
  await node.result('debug_setHead', '0x1')
  expect(await node.result('eth_getTransactionCount', SENDER, 'pending')).toBe('0x1')
  await emit(1n, 5)
  await emit(2n, 6)
  await node.nextBlock()
  expect(await node.result('eth_getTransactionCount', SENDER, 'latest')).toBe('0x4')
})

test('does not count transactions behind one of an unwound open block as executable', async () => {
  await emit(1n, 1)
  await node.nextFlashblock()
  await emit(2n, 2)
  expect(node.node.poolCounts).toEqual({ pending: 1, queued: 0 })
  await node.result('debug_setHead', '0x1')
  expect(node.node.poolCounts).toEqual({ pending: 0, queued: 1 })
  expect(await node.result('txpool_status')).toEqual({ pending: '0x0', queued: '0x1' })
})
