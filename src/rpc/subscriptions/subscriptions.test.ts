import { beforeEach, expect, test } from 'vitest'
import { schemaViolations } from '../../../test/support/json-schema.ts'
import { deployEmitter, EMITTER, signEmission, topicOf } from '../../../test/support/log-emitter.ts'
import { type RpcNode, startRpcNode } from '../../../test/support/rpc-node.ts'
import { signTransfer } from '../../../test/support/transfers.ts'
import { bytesToHex } from '../../primitives/hex.ts'
import type { RpcConnection } from '../create-rpc.ts'
import { SUBSCRIPTION_REFERENCE } from '../schemas/subscription-reference.ts'
import { SUBSCRIPTIONS } from './channels.ts'

let node: RpcNode
let received: string[]
let connection: RpcConnection
beforeEach(async () => {
  node = await startRpcNode()
  await deployEmitter(node)
  received = []
  connection = node.rpc.connect((text) => received.push(text))
})
async function subscribe(...params: unknown[]): Promise<string> {
  const before = received.length
  await connection.receive(JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'eth_subscribe', params }))
  const [response] = received.splice(before, 1)
  return JSON.parse(response!).result
}

/** Results of a subscription's messages so far. */
function messages(id: string): Record<string, unknown>[] {
  const parsed = received.map((text) => JSON.parse(text))
  return parsed.filter((message) => message.params?.subscription === id).map((message) => message.params.result)
}

async function emit(nonce: bigint, topic: number): Promise<string> {
  const { hash, raw } = signEmission(nonce, topicOf(topic))
  await node.result('eth_sendRawTransaction', raw)
  return hash
}

test('newHeads has one head per sealed block, without transactions', async () => {
  const id = await subscribe('newHeads')
  await node.nextFlashblock()
  expect(messages(id)).toEqual([])
  await node.nextBlock()
  const { transactions, uncles, ...head } = await node.result('eth_getBlockByNumber', 'latest', false)
  expect(messages(id)).toEqual([head])
})

test('transactionReceipts has the receipts of each sealed block, or those of given transactions', async () => {
  const all = await subscribe('transactionReceipts')
  const empty = await subscribe('transactionReceipts', { transactionHashes: [] })
  const { hash: second } = signEmission(2n, topicOf(2))
  const one = await subscribe('transactionReceipts', { transactionHashes: [second, `0x${'11'.repeat(32)}`] })
  await emit(1n, 1)
  await emit(2n, 2)
  await node.nextFlashblock()
  expect([...messages(all), ...messages(one)]).toEqual([])
  await node.nextBlock()
  // A block without transactions has no message.
  await node.nextBlock()
  const receipts = await node.result('eth_getBlockReceipts', '0x2')
  expect(messages(all)).toEqual([receipts])
  expect(messages(empty)).toEqual([receipts])
  expect(messages(one)).toEqual([[await node.result('eth_getTransactionReceipt', second)]])
})

test('transactionReceipts takes 200 hashes at most', async () => {
  const hashes = Array.from({ length: 201 }, (_, index) => topicOf(index))
  await connection.receive(
    JSON.stringify({
      jsonrpc: '2.0',
      id: 1,
      method: 'eth_subscribe',
      params: ['transactionReceipts', { transactionHashes: hashes }],
    }),
  )
  expect(JSON.parse(received.at(-1)!).error).toEqual({
    code: -32602,
    message: 'invalid argument 1: transactionHashes: 201 entries, want at most 200',
  })
})

test('newFlashblocks has the cumulative block with full transactions; raw has the feed message', async () => {
  const id = await subscribe('newFlashblocks')
  const raw = await subscribe('newFlashblocks', { raw: true })
  const hash = await emit(1n, 1)
  await node.nextFlashblock()
  const pending = await node.result('eth_getBlockByNumber', 'pending', true)
  expect(messages(id)).toEqual([pending])
  expect(messages(raw)).toMatchObject([
    {
      diff: { block_hash: pending.hash, transactions: [expect.stringMatching(/^0x02/)] },
      metadata: { block_number: 2 },
    },
  ])
  expect(pending.transactions).toMatchObject([{ hash }])
})

test('newFlashblockTransactions has hashes, full objects, or those with a log that matches', async () => {
  const hashes = await subscribe('newFlashblockTransactions')
  const full = await subscribe('newFlashblockTransactions', true)
  const filtered = await subscribe('newFlashblockTransactions', { topics: [topicOf(2)] })
  const first = await emit(1n, 1)
  const second = await emit(2n, 2)
  await node.nextFlashblock()
  expect(messages(hashes)).toEqual([first, second])
  const pending = await node.result('eth_getBlockByNumber', 'pending', false)
  expect(messages(full)).toMatchObject([
    { hash: first, blockHash: pending.hash, status: '0x1', logs: [{ topics: [topicOf(1)], logIndex: '0x0' }] },
    { hash: second, contractAddress: null, logs: [{ topics: [topicOf(2)], logIndex: '0x1' }] },
  ])
  expect(messages(filtered)).toEqual([messages(full)[1]])
})

test('pendingLogs emits logs of the newest flashblock, logs those of a sealed block', async () => {
  const pending = await subscribe('pendingLogs', { address: EMITTER })
  const other = await subscribe('pendingLogs', { address: `0x${'11'.repeat(20)}` })
  const sealed = await subscribe('logs')
  await emit(1n, 1)
  await node.nextFlashblock()
  await emit(2n, 2)
  await node.nextFlashblock()
  expect(messages(pending)).toMatchObject([{ topics: [topicOf(1)] }, { topics: [topicOf(2)], logIndex: '0x1' }])
  expect(messages(sealed)).toEqual([])
  await node.nextBlock()
  const { hash } = await node.result('eth_getBlockByNumber', 'latest', false)
  expect(messages(sealed)).toMatchObject([
    { blockHash: hash, logIndex: '0x0' },
    { blockHash: hash, logIndex: '0x1' },
  ])
  expect(messages(pending)).toHaveLength(2)
  expect(messages(other)).toEqual([])
})

test('newPendingTransactions has hashes or objects as they enter the pool', async () => {
  const hashes = await subscribe('newPendingTransactions')
  const full = await subscribe('newPendingTransactions', true)
  const hash = await emit(1n, 1)
  expect(messages(hashes)).toEqual([hash])
  expect(messages(full)).toMatchObject([{ hash, blockHash: null, blockNumber: null, transactionIndex: null }])
})

test('a batch that subscribes and sends is notified after the response with the id', async () => {
  const batch = [
    { jsonrpc: '2.0', id: 1, method: 'eth_subscribe', params: ['newPendingTransactions'] },
    { jsonrpc: '2.0', id: 2, method: 'eth_sendRawTransaction', params: [signEmission(1n, topicOf(1)).raw] },
  ]
  await connection.receive(JSON.stringify(batch))
  expect(received).toHaveLength(2)
  expect(JSON.parse(received[0]!)).toMatchObject([{ id: 1 }, { id: 2 }])
  expect(JSON.parse(received[1]!)).toMatchObject({ method: 'eth_subscription' })
})

test('subscribers of a channel share one listener, which is removed with the last of them', async () => {
  const before = node.node.events.listenerCount('flashblock')
  const first = await subscribe('newFlashblocks')
  await subscribe('newFlashblocks')
  expect(node.node.events.listenerCount('flashblock')).toBe(before + 1)
  await connection.receive(JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'eth_unsubscribe', params: [first] }))
  expect(JSON.parse(received.pop()!).result).toBe(true)
  await node.nextFlashblock()
  expect(messages(first)).toEqual([])
  expect(received).toHaveLength(1)
  connection.close()
  expect(node.node.events.listenerCount('flashblock')).toBe(before)
})

test.each([
  [['eth_subscribe', 'newThings'], -32601, 'no "newThings" subscription in eth namespace'],
  [['eth_subscribe'], -32602, 'missing value for required argument 0'],
  [['eth_subscribe', 'logs', 'x'], -32602, 'invalid argument 1: expected an object, got a string'],
  [
    ['eth_subscribe', 'pendingLogs', { topics: 1 }],
    -32602,
    'invalid argument 1: topics: expected an array, got a number',
  ],
  [['eth_unsubscribe', '0x1234'], -32000, 'subscription not found'],
])('rejects %j with %i', async ([method, ...params], code, message) => {
  await connection.receive(JSON.stringify({ jsonrpc: '2.0', id: 1, method, params }))
  expect(JSON.parse(received.pop()!).error).toEqual({ code, message })
})

test('limits the subscriptions of a connection', async () => {
  const bounded = await startRpcNode({ maxSubscriptions: 1 })
  const texts: string[] = []
  const other = bounded.rpc.connect((text) => texts.push(text))
  const request = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'eth_subscribe', params: ['newHeads'] })
  await other.receive(request)
  await other.receive(request)
  expect(JSON.parse(texts[1]!).error.code).toBe(-32006)
  await bounded.stop()
})

test('newFlashblockTransactions sends hashes for an empty object, and whole transactions that match criteria', async () => {
  const empty = await subscribe('newFlashblockTransactions', {})
  const filtered = await subscribe('newFlashblockTransactions', { address: EMITTER })
  const hash = await emit(1n, 1)
  await node.nextFlashblock()
  expect(messages(empty)).toEqual([hash])
  expect(messages(filtered)).toMatchObject([{ hash, logs: [{}] }])
})

test('a batch whose connection closes leaves no listener behind', async () => {
  const before = node.node.events.listenerCount('flashblock')
  const sent = signEmission(1n, topicOf(1))
  const answering = connection.receive(
    JSON.stringify([
      { jsonrpc: '2.0', id: 1, method: 'eth_sendRawTransactionSync', params: [sent.raw] },
      { jsonrpc: '2.0', id: 2, method: 'eth_subscribe', params: ['newFlashblocks'] },
    ]),
  )
  connection.close()
  await node.passing(Promise.resolve(answering))
  expect(node.node.events.listenerCount('flashblock')).toBe(before)
  expect(received).toEqual([])
})

test('refuses a subscription after the connection closed', async () => {
  const before = node.node.events.listenerCount('sealed')
  connection.close()
  await connection.receive(JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'eth_subscribe', params: ['newHeads'] }))
  expect(node.node.events.listenerCount('sealed')).toBe(before)
})

test('bounds notifications held for a slow response, and closes the connection', async () => {
  const bounded = await startRpcNode({ maxHeldBytes: 1_000 })
  let overflows = 0
  const texts: string[] = []
  const listeners = bounded.node.events.listenerCount('flashblock')
  const slow = bounded.rpc.connect((text) => texts.push(text), { onOverflow: () => overflows++ })
  const waiting = signTransfer({ nonce: 0n })
  const answering = slow.receive(
    JSON.stringify([
      { jsonrpc: '2.0', id: 1, method: 'eth_subscribe', params: ['newFlashblocks'] },
      { jsonrpc: '2.0', id: 2, method: 'eth_sendRawTransactionSync', params: [bytesToHex(waiting.raw)] },
    ]),
  )
  await bounded.passing(Promise.resolve(answering))
  expect(overflows).toBe(1)
  expect(texts).toEqual([])
  expect(bounded.node.events.listenerCount('flashblock')).toBe(listeners)
  await bounded.stop()
})

test('limits the addresses and topics of all subscriptions of a connection', async () => {
  const bounded = await startRpcNode({ maxSubscribedCriteria: 5 })
  const texts: string[] = []
  const other = bounded.rpc.connect((text) => texts.push(text))
  const request = async (method: string, ...params: unknown[]) => {
    await other.receive(JSON.stringify({ jsonrpc: '2.0', id: 1, method, params }))
    return JSON.parse(texts.pop()!)
  }
  const filter = { address: [EMITTER, EMITTER], topics: [[topicOf(1)]] }
  const { result } = await request('eth_subscribe', 'logs', filter)
  expect((await request('eth_subscribe', 'pendingLogs', filter)).error).toEqual({
    code: -32006,
    message: 'too many addresses and topics in the subscriptions of the connection: 3 and 3 more, limit 5',
  })
  await request('eth_unsubscribe', result)
  expect((await request('eth_subscribe', 'pendingLogs', filter)).error).toBeUndefined()
  await bounded.stop()
})

test('messages of every kind match their schema', async () => {
  const criteria = { topics: [topicOf(1)] }
  const subscribed: [string, string][] = []
  for (const [kind, ...options] of [
    ['newHeads'],
    ['logs', criteria],
    ['transactionReceipts'],
    ['newPendingTransactions'],
    ['newPendingTransactions', true],
    ['newFlashblocks'],
    ['newFlashblocks', { raw: true }],
    ['newFlashblockTransactions'],
    ['newFlashblockTransactions', true],
    ['pendingLogs', criteria],
    ['syncing'],
  ] as const) {
    subscribed.push([kind, await subscribe(kind, ...options)])
  }
  expect(new Set(subscribed.map(([kind]) => kind))).toEqual(new Set(SUBSCRIPTIONS.keys()))
  expect(Object.keys(SUBSCRIPTION_REFERENCE)).toEqual([...SUBSCRIPTIONS.keys()])
  await emit(1n, 1)
  await node.nextBlock()
  await node.nextFlashblock()
  for (const [kind, id] of subscribed) {
    const told = messages(id)
    expect(told.length).toBeGreaterThan(0)
    for (const message of told) expect(schemaViolations(SUBSCRIPTION_REFERENCE[kind]!.payload, message)).toEqual([])
  }
})

test('syncing sends false once, after the response with the subscription id', async () => {
  await connection.receive(JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'eth_subscribe', params: ['syncing'] }))
  await node.nextBlock()

  const [response, ...notifications] = received.map((text) => JSON.parse(text))
  const { result: subscription } = response
  expect(notifications).toEqual([
    { jsonrpc: '2.0', method: 'eth_subscription', params: { subscription, result: false } },
  ])
  await connection.receive(JSON.stringify({ jsonrpc: '2.0', id: 2, method: 'eth_unsubscribe', params: [subscription] }))
  expect(JSON.parse(received.at(-1)!)).toMatchObject({ id: 2, result: true })
})

test.each([
  ['newHeads', true, 'a subscription to newHeads does not use true'],
  ['newHeads', { address: EMITTER }, 'a subscription to newHeads does not use address and topics'],
  ['logs', { raw: true }, 'a subscription to logs does not use raw'],
  ['newFlashblocks', { full: true }, "unknown member 'full'"],
])('%s refuses the option %j, which it would ignore', async (kind, option, reason) => {
  const params = [kind, option]
  await connection.receive(JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'eth_subscribe', params }))

  const { error } = JSON.parse(received.at(-1)!)
  expect(error).toMatchObject({ code: -32602, message: expect.stringContaining(reason) })
})

test.each(['newHeads', 'logs', 'syncing'])('%s accepts empty options, which some clients send', async (kind) => {
  expect(await subscribe(kind, {})).toMatch(/^0x/)
})
