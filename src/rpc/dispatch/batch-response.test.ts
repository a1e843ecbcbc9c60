import { beforeEach, expect, test } from 'vitest'
import { type RpcNode, startRpcNode } from '../../../test/support/rpc-node.ts'
import { signTransfer } from '../../../test/support/transfers.ts'
import type { ServedNode } from '../../node/roles/node-handle.ts'
import { bytesToHex } from '../../primitives/hex.ts'
import { RPC_METHODS } from '../methods/all-methods.ts'
import { RPC_CODES, RpcError } from '../protocol/errors.ts'
import { ANONYMOUS } from '../protocol/rpc-client.ts'
import { defineMethod, defineWritingMethod } from '../registry/method.ts'
import { MethodSet } from '../registry/method-set.ts'
import { Dispatcher } from './dispatcher.ts'

let node: RpcNode
beforeEach(async () => {
  node = await startRpcNode()
})
function request(id: number, method: string, ...params: unknown[]): object {
  return { jsonrpc: '2.0', id, method, params }
}

/** Methods that say when they begin; what runs together is answered when the test lets it. */
function waiting() {
  const begun: string[] = []
  const responses: (() => void)[] = []
  const description = { summary: '', params: [], result: {}, cost: 1 }
  const read = defineMethod({
    ...description,
    name: 'test_read',
    handle() {
      begun.push('read')
      return `read ${begun.length}`
    },
  })
  const refusing = defineWritingMethod({
    ...description,
    name: 'test_refusing',
    runsTogether: true,
    handle() {
      throw new RpcError(RPC_CODES.invalidParams, 'refused at once')
    },
  })
  const send = defineWritingMethod({
    ...description,
    name: 'test_send',
    runsTogether: true,
    handle() {
      const name = `send ${begun.push('send')}`
      return new Promise((resolve) => {
        responses.push(() => resolve(name))
      })
    },
  })
  const methods = new MethodSet([read, refusing, send], { dialect: 'base', namespaces: 'all', flag: '--http-api' })
  return { begun, responses, dispatcher: new Dispatcher(methods, node.options, node.deps) }
}

const nextTurn = () => new Promise((resolve) => setImmediate(resolve))

test('consecutive submissions of a batch run concurrently; later items wait for them', async () => {
  const { begun, responses, dispatcher } = waiting()
  const items = ['test_send', 'test_refusing', 'test_send', 'test_read', 'test_send']
  const answering = Promise.resolve(dispatcher.handle(JSON.stringify(items.map((method, id) => request(id, method)))))
  await nextTurn()
  expect(begun).toEqual(['send', 'send'])
  responses[1]!()
  await nextTurn()
  expect(begun).toEqual(['send', 'send'])
  responses[0]!()
  await nextTurn()
  expect(begun).toEqual(['send', 'send', 'read', 'send'])
  responses[2]!()
  expect(JSON.parse((await answering)!)).toMatchObject([
    { id: 0, result: 'send 1' },
    { id: 1, error: { message: 'refused at once' } },
    { id: 2, result: 'send 2' },
    { id: 3, result: 'read 3' },
    { id: 4, result: 'send 4' },
  ])
})

test('finishes the submissions of a batch whose client has disconnected, without a response', async () => {
  const { begun, responses, dispatcher } = waiting()
  const text = JSON.stringify([request(0, 'test_send'), request(1, 'test_send'), request(2, 'test_send')])
  const answering = Promise.resolve(dispatcher.handle(text, { ...ANONYMOUS, isGone: () => begun.length === 2 }))
  await nextTurn()
  let isOver = false
  void answering.then(() => {
    isOver = true
  })
  await nextTurn()
  expect({ begun, isOver }).toEqual({ begun: ['send', 'send'], isOver: false })
  for (const response of responses) response()
  expect(await answering).toBeUndefined()
})

test('runs at most 64 submissions of a batch at once', async () => {
  const { begun, responses, dispatcher } = waiting()
  const sends = Array.from({ length: 150 }, (_, id) => request(id, 'test_send'))
  const answering = Promise.resolve(dispatcher.handle(JSON.stringify(sends)))
  for (const count of [64, 128, 150]) {
    await nextTurn()
    expect(begun).toHaveLength(count)
    for (const response of responses.splice(0)) response()
  }
  const results = JSON.parse((await answering)!).map(({ result }: { result: string }) => result)
  expect(results).toEqual(Array.from({ length: 150 }, (_, index) => `send ${index + 1}`))
})

/** A dispatcher of the real methods, and the records that hold what was accepted by it. */
function sending() {
  const sequences: number[] = []
  const submit = async (raw: Uint8Array) => {
    const result = await node.node.submit(raw)
    if (result.kind === 'accepted') sequences.push(result.sequence)
    return result
  }
  const { config, engine, events, blockTimeMs, slots, gasLimit } = node.node
  const watched: ServedNode = {
    role: 'failover',
    damage: undefined,
    isOnDemand: false,
    config,
    engine,
    events,
    blockTimeMs,
    slots,
    gasLimit,
    view: () => node.node.view(),
    submit,
    setHead: (number) => node.node.setHead(number),
  }
  const methods = new MethodSet(RPC_METHODS, { dialect: 'base', namespaces: 'all', flag: '--http-api' })
  return { sequences, dispatcher: new Dispatcher(methods, node.options, { ...node.deps, node: watched }) }
}

function sendOf(id: number | undefined, { raw }: { readonly raw: Uint8Array }): object {
  return {
    jsonrpc: '2.0',
    ...(id !== undefined && { id }),
    method: 'eth_sendRawTransaction',
    params: [bytesToHex(raw)],
  }
}

test('a hundred submissions in a batch share fewer than ten disk syncs', async () => {
  const { sequences, dispatcher } = sending()
  const transfers = Array.from({ length: 100 }, (_, nonce) => signTransfer({ nonce: BigInt(nonce) }))
  const sends = transfers.map((transfer, id) => sendOf(id, transfer))
  const responses = JSON.parse((await dispatcher.handle(JSON.stringify(sends)))!)
  expect(responses.map(({ result }: { result: unknown }) => result)).toEqual(transfers.map(({ hash }) => hash))
  expect(sequences).toHaveLength(100)
  expect(new Set(sequences).size).toBeLessThan(10)
})

test('submissions of a batch take effect in order, and later items see them', async () => {
  const { dispatcher } = sending()
  const ether = 10n ** 18n
  const [first, second, higherFee] = [
    signTransfer({ nonce: 0n }),
    signTransfer({ nonce: 1n, value: 6_000n * ether }),
    signTransfer({ nonce: 0n, maxFeePerGas: 20_000_000_000n, maxPriorityFeePerGas: 2_000_000n }),
  ]
  const tooMuch = signTransfer({ nonce: 2n, value: 6_000n * ether })
  const items = [
    sendOf(0, first),
    // Nobody is told of a notification, but it counts.
    sendOf(undefined, second),
    sendOf(2, first),
    sendOf(3, higherFee),
    sendOf(4, tooMuch),
    request(5, 'eth_getTransactionCount', first.from, 'pending'),
    request(6, 'tickertape_transactionStatus', tooMuch.hash),
    request(7, 'tickertape_transactionStatus', first.hash),
  ]
  const responses = JSON.parse((await dispatcher.handle(JSON.stringify(items)))!)
  expect(responses).toMatchObject([
    { id: 0, result: first.hash },
    { id: 2, error: { code: RPC_CODES.server, message: 'already known' } },
    { id: 3, result: higherFee.hash },
    { id: 4, error: { code: RPC_CODES.server, message: expect.stringContaining('insufficient funds') } },
    { id: 5, result: '0x2' },
    { id: 6, result: { status: 'unknown' } },
    { id: 7, result: { status: 'dropped' } },
  ])
})
