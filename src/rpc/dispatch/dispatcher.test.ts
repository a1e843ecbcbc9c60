import fc from 'fast-check'
import { beforeEach, expect, test } from 'vitest'
import { type RpcNode, startRpcNode } from '../../../test/support/rpc-node.ts'
import { signTransfer } from '../../../test/support/transfers.ts'
import { DEVELOPMENT_ACCOUNTS } from '../../chain/accounts/development-accounts.ts'
import { bytesToHex } from '../../primitives/hex.ts'
import { RPC_DEFAULTS } from '../create-rpc.ts'
import { RPC_METHODS } from '../methods/all-methods.ts'
import { EncodedJson } from '../protocol/encoded-json.ts'
import { ANONYMOUS } from '../protocol/rpc-client.ts'
import { defineMethod } from '../registry/method.ts'
import { MethodSet } from '../registry/method-set.ts'
import type { Offload } from '../scheduling/offload.ts'
import { Dispatcher } from './dispatcher.ts'

const SENDER = DEVELOPMENT_ACCOUNTS[0]!.address

let node: RpcNode
beforeEach(async () => {
  node = await startRpcNode()
})
async function response(text: string): Promise<unknown> {
  const response = await node.rpc.handle(text)
  return response === undefined ? undefined : JSON.parse(response)
}

function request(id: unknown, method: string, ...params: unknown[]): object {
  return { jsonrpc: '2.0', id, method, params }
}

test.each([[0], [-1], [1.5], [''], ['a'], [null], [true]])('echoes the id %j', async (id) => {
  expect(await response(JSON.stringify(request(id, 'eth_chainId')))).toEqual({ jsonrpc: '2.0', id, result: '0x7a69' })
})

test.each([
  ['', -32700, null],
  ['{', -32700, null],
  ['{"jsonrpc":"2.0","id":1,"method":"eth_chainId"', -32700, null],
  ['1', -32600, null],
  ['null', -32600, null],
  ['"x"', -32600, null],
  ['{}', -32600, null],
  ['[]', -32600, null],
  ['{"jsonrpc":"1.0","id":3,"method":"eth_chainId"}', -32600, 3],
  ['{"jsonrpc":"2.0","id":3}', -32600, 3],
  ['{"jsonrpc":"2.0","id":{},"method":"eth_chainId"}', -32600, null],
  ['{"jsonrpc":"2.0","id":[1],"method":"eth_chainId"}', -32600, null],
  ['{"jsonrpc":"2.0","id":3,"method":7}', -32600, 3],
  [`${'['.repeat(100)}${']'.repeat(100)}`, -32600, null],
  ['{"jsonrpc":"2.0","id":3,"method":"eth_chainId","params":{}}', -32602, 3],
  ['{"jsonrpc":"2.0","id":3,"method":"__proto__"}', -32601, 3],
  ['{"jsonrpc":"2.0","id":3,"method":"constructor"}', -32601, 3],
  ['{"__proto__":{"id":9},"jsonrpc":"2.0","method":"toString","id":3}', -32601, 3],
])('rejects %s with %i', async (text, code, id) => {
  expect(await response(text)).toMatchObject({ jsonrpc: '2.0', id, error: { code } })
})

test('an unknown method has the message that clients look for, and dialect base lacks eth_fillTransaction', async () => {
  expect((await node.request('eth_fillTransaction', {})).error).toEqual({
    code: -32601,
    message:
      'the method eth_fillTransaction does not exist/is not available: it is of another dialect, see ' +
      '--expose-dev or --dialect ethereum',
  })
})

test('a notification gets no response, alone, in a batch and when it fails', async () => {
  expect(await response('{"jsonrpc":"2.0","method":"eth_chainId"}')).toBeUndefined()
  expect(await response('{"jsonrpc":"2.0","method":"nothing"}')).toBeUndefined()
  expect(await response('[{"jsonrpc":"2.0","method":"eth_chainId"}]')).toBeUndefined()
})

test('handles a call without pauses synchronously, and frees its slot after any result', () => {
  const { maxRunningCalls } = RPC_DEFAULTS
  const to = SENDER
  const calls = [{ to }, { to: null, input: '0xfe' }, { to, chainId: '0x1' }, { to, gas: 'much' }]
  for (let time = 0; time <= maxRunningCalls; time++) {
    for (const call of calls) {
      const text = JSON.stringify(request(1, 'eth_call', call, 'latest'))
      expect(node.rpc.handle(text)).toEqual(expect.stringMatching(call === calls[0] ? '"result":"0x"' : '"error"'))
    }
  }
})

test('answers a batch in order, with errors for invalid items', async () => {
  const batch = [request(1, 'eth_chainId'), 5, { jsonrpc: '2.0', method: 'eth_chainId' }, request('b', 'net_version')]
  expect(await response(JSON.stringify(batch))).toEqual([
    { jsonrpc: '2.0', id: 1, result: '0x7a69' },
    { jsonrpc: '2.0', id: null, error: { code: -32600, message: 'invalid request' } },
    { jsonrpc: '2.0', id: 'b', result: '31337' },
  ])
})

test('limits the items and bytes of a batch', async () => {
  const batch = Array.from({ length: 1_001 }, (_, id) => request(id, 'eth_chainId'))
  expect(await response(JSON.stringify(batch))).toMatchObject({ error: { code: -32600 } })
  const small = await startRpcNode({ maxBatchBytes: 10 })
  const text = JSON.stringify([request(1, 'eth_chainId'), request(2, 'eth_chainId')])
  expect(JSON.parse((await small.rpc.handle(text))!)).toMatchObject([
    { id: 1, result: '0x7a69' },
    { id: 2, error: { code: -32003 } },
  ])
  await small.stop()
})

test('limits the memory of concurrent batch responses', async () => {
  const large = defineMethod({
    name: 'test_large',
    summary: 'A large answer.',
    params: [],
    result: {},
    cost: 1,
    handle: () => 'x'.repeat(60_000),
  })
  let goOn = () => {}
  const going = new Promise<null>((resolve) => {
    goOn = () => resolve(null)
  })
  const slow = defineMethod({ ...large, name: 'test_slow', handle: () => going })
  const methods = new MethodSet([large, slow], { dialect: 'base', namespaces: 'all', flag: '--http-api' })
  const dispatcher = new Dispatcher(methods, { ...node.options, maxAssembledBytes: 500_000 }, node.deps)
  const batch = JSON.stringify([
    ...Array.from({ length: 4 }, (_, id) => request(id, 'test_large')),
    request(9, 'test_slow'),
  ])
  const waiting = Array.from({ length: 5 }, () => dispatcher.handle(batch))
  goOn()
  const texts = await Promise.all(waiting)
  // The third one fills it up; those after it get what everybody may have.
  expect(texts.map((text) => text!.match(/x{60000}/g)?.length)).toEqual([4, 4, 2, 2, 2])
  expect(JSON.parse(texts[4]!)[2].error).toMatchObject({ code: -32005, message: expect.stringContaining('try again') })
  expect((await dispatcher.handle(batch))!.match(/x{60000}/g)).toHaveLength(4)
})

test('offloads a long request only if its method runs code', async () => {
  const taken: string[] = []
  const offload: Offload = {
    isFree: () => true,
    startSpareThread: () => undefined,
    async run({ method }) {
      taken.push(method)
      return new EncodedJson('"elsewhere"')
    },
  }
  let time = 0
  const clock = { wall: () => 0, monotonic: () => time, at: () => () => {} }
  const slow = defineMethod({
    name: 'test_slow',
    summary: 'Takes longer than a slice.',
    params: [],
    result: {},
    cost: 1,
    async handle(_, { mayContinue }) {
      // Its time begins here.
      mayContinue()
      time += 100
      return (await mayContinue()) ? 'here' : 'late'
    },
  })
  const methods = new MethodSet([slow, { ...slow, name: 'test_code', runsCode: true }], {
    dialect: 'base',
    namespaces: 'all',
    flag: '--http-api',
  })
  const dispatcher = new Dispatcher(methods, node.options, { ...node.deps, clock, offload })
  const result = async (method: string) =>
    JSON.parse((await dispatcher.handle(JSON.stringify(request(1, method))))!).result
  expect(await result('test_slow')).toBe('here')
  expect(await result('test_code')).toBe('elsewhere')
  expect(taken).toEqual(['test_code'])
})

test('computes results that depend on the view once per batch, and again after an item that writes', async () => {
  let requested = 0
  const counting = defineMethod({
    name: 'test_counting',
    summary: 'Counts how often it is asked.',
    params: [],
    result: {},
    cost: 1,
    isSameInView: true,
    handle: () => ++requested,
  })
  const methods = new MethodSet([...RPC_METHODS, counting], { dialect: 'base', namespaces: 'all', flag: '--http-api' })
  const dispatcher = new Dispatcher(methods, node.options, node.deps)
  const send = request(9, 'eth_sendRawTransaction', bytesToHex(signTransfer({ nonce: 0n }).raw))
  const ask = request(1, 'test_counting')
  const refused = request(2, 'test_counting', 'one parameter')
  const responses = JSON.parse((await dispatcher.handle(JSON.stringify([ask, ask, refused, ask, send, ask, ask])))!)
  expect(responses.map(({ result }: { result: unknown }) => result)).toEqual([
    1,
    1,
    undefined,
    1,
    expect.any(String),
    2,
    2,
  ])
  expect(responses[2].error.code).toBe(-32602)
})

test('a batch has one view, renewed after an item that submits a transaction', async () => {
  const transaction = signTransfer({ nonce: 0n })
  const count = request(1, 'eth_getTransactionCount', transaction.from, 'pending')
  const batch = [count, request(2, 'eth_sendRawTransaction', bytesToHex(transaction.raw)), count]
  expect(await response(JSON.stringify(batch))).toMatchObject([
    { result: '0x0' },
    { result: transaction.hash },
    { result: '0x1' },
  ])
})

test('answers a batch from one view although blocks are sealed between its items', async () => {
  let goOn = () => {}
  const slow = defineMethod({
    name: 'test_slow',
    summary: 'Answers when the test lets it.',
    params: [],
    result: { type: 'null' },
    cost: 1,
    handle: () =>
      new Promise<null>((resolve) => {
        goOn = () => resolve(null)
      }),
  })
  const methods = new MethodSet([...RPC_METHODS, slow], { dialect: 'base', namespaces: 'all', flag: '--http-api' })
  const dispatcher = new Dispatcher(methods, node.options, node.deps)
  const seen = ['eth_blockNumber', 'eth_getBlockByNumber', 'eth_getTransactionCount'].map((method, index) =>
    request(index, method, ...[[], ['pending', false], [SENDER, 'pending']][index]!),
  )
  const answering = Promise.resolve(dispatcher.handle(JSON.stringify([...seen, request(9, 'test_slow'), ...seen])))
  await node.node.submit(signTransfer({ nonce: 0n }).raw)
  await node.nextBlock()
  goOn()
  const results = (JSON.parse((await node.passing(answering))!) as { result: unknown }[]).map(({ result }) => result)
  expect(results.slice(4)).toEqual(results.slice(0, 3))
  expect(results[0]).toBe('0x0')
  expect(Number(await node.result('eth_blockNumber'))).toBeGreaterThan(0)
})

test('eth_subscribe requires a connection', async () => {
  expect((await node.request('eth_subscribe', 'newHeads')).error).toEqual({
    code: -32601,
    message: 'notifications not supported',
  })
})

test('property: responds to random JSON with documented errors, and logs nothing unexpected', async () => {
  const methods = (await import('../methods/all-methods.ts')).RPC_METHODS.map(({ name }) => name)
  const anything = fc.jsonValue({ maxDepth: 4 })
  const params = fc.array(fc.oneof(anything, fc.constantFrom('latest', 'pending', '0x1', `0x${'11'.repeat(20)}`)), {
    maxLength: 4,
  })
  const documented = [-32700, -32600, -32601, -32602, -32000, -32001, -38026, 3]
  await fc.assert(
    fc.asyncProperty(fc.constantFrom(...methods), params, async (method, values) => {
      const { error } = await node.request(method, ...values)
      if (error !== undefined) expect(documented).toContain(error.code)
    }),
    { numRuns: 2_000 },
  )
  await fc.assert(
    fc.asyncProperty(fc.oneof(fc.json(), fc.string()), async (text) => {
      const encoded = await response(text)
      expect(encoded).toBeDefined()
    }),
    { numRuns: 500 },
  )
  expect(node.logged).toEqual([])
})

test('refuses the requests of a client without room for a response before they run', async () => {
  const begun: number[] = []
  const work = defineMethod({
    name: 'test_work',
    summary: 'Counts its runs.',
    params: [],
    result: {},
    cost: 1,
    handle: () => String(begun.push(1)),
  })
  const methods = new MethodSet([work], { dialect: 'base', namespaces: 'all', flag: '--http-api' })
  const dispatcher = new Dispatcher(methods, node.options, node.deps)
  const client = { ...ANONYMOUS, hasRoom: () => begun.length < 1 }

  const text = await dispatcher.handle(JSON.stringify([request(1, 'test_work'), request(2, 'test_work')]), client)

  expect(JSON.parse(text!)).toMatchObject([
    { id: 1, result: '1' },
    { id: 2, error: { code: -32005 } },
  ])
  expect(begun).toHaveLength(1)
})
