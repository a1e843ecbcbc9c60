import { EventEmitter } from 'node:events'
import { describe, expect, test } from 'vitest'
import { ManualClock } from '../../../test/support/manual-clock.ts'
import type { NodeEventEmitter, NodeEvents } from '../../node/view/events.ts'
import { EncodedJson, type MethodResult } from '../../rpc/protocol/encoded-json.ts'
import { RpcError } from '../../rpc/protocol/errors.ts'
import { ANONYMOUS } from '../../rpc/protocol/rpc-client.ts'
import type { FinishedSpan } from './span.ts'
import { TransactionTraces } from './transaction-traces.ts'

const HASH = `0x${'1'.repeat(64)}`
const REMOTE = { traceId: '4bf92f3577b34da6a3ce929d0e0e4736', spanId: '00f067aa0ba902b7', isSampled: true }
const CLIENT = { ...ANONYMOUS, id: 'request-1', address: '192.0.2.1' }

type PooledTransaction = NodeEvents['pooled'][0]
type Flashblock = NodeEvents['flashblock'][0]
type Dropped = NodeEvents['dropped'][0]

/** The members that traces read. */
const pooled = { hash: HASH } as unknown as PooledTransaction
const dropped = { hash: HASH, reason: { code: 'LIFETIME' } } as unknown as Dropped
function flashblock(...hashes: readonly string[]): Flashblock {
  const transactions = hashes.map((hash) => ({ hash }))
  return { layer: { header: { number: 7 }, index: 3, transactions } } as unknown as Flashblock
}

function scene({ isSampled = true } = {}) {
  const clock = new ManualClock({ wall: 1_000_000 })
  const spans: (FinishedSpan & { readonly spanId: string })[] = []
  const write = (span: FinishedSpan) => {
    const spanId = `${spans.length + 1}`
    spans.push({ ...span, spanId })
    return { traceId: span.parent?.traceId ?? 'trace', spanId, isSampled }
  }
  const traces = new TransactionTraces({ spans: { write }, clock })
  const events = new EventEmitter() as NodeEventEmitter
  traces.listen(events)
  const nameOf = (spanId: string | undefined) => spans.find((span) => span.spanId === spanId)?.name
  return {
    clock,
    traces,
    events,
    answer: (result: MethodResult | undefined, { method = 'eth_sendRawTransaction', milliseconds = 10 } = {}) =>
      traces.onResponse(method, milliseconds, undefined, { client: CLIENT, id: '1', ...(result && { result }) }),
    /** Name of each span with its parent and its times after the start of the clock. */
    written: () =>
      spans.map(({ name, parent, start, end }) => [name, nameOf(parent?.spanId), start - 1_000_000, end - 1_000_000]),
    spans,
  }
}

describe('a sent transaction', () => {
  test('has one trace from the request to the message of the first subscriber', () => {
    const { clock, traces, events, answer, written } = scene()

    clock.moveTo(10)
    traces.meter('sync', 4)
    events.emit('pooled', pooled)
    answer(HASH)
    clock.moveTo(30)
    traces.meter('build', 8)
    clock.moveTo(35)
    traces.meter('publish', 5)
    clock.moveTo(36)
    traces.meter('sync', 5)
    const event = flashblock('0xother', HASH)
    events.emit('flashblock', event)
    clock.moveTo(37)
    traces.onFlashblockDelivered(event)
    clock.moveTo(38)
    traces.onFlashblockDelivered(event)

    expect(written()).toEqual([
      ['eth_sendRawTransaction', undefined, 0, 10],
      ['pool', 'eth_sendRawTransaction', 0, 10],
      ['sync', 'pool', 6, 10],
      ['flashblock', 'eth_sendRawTransaction', 22, 36],
      ['build', 'flashblock', 22, 30],
      ['sync', 'flashblock', 31, 36],
      ['publish', 'flashblock', 30, 35],
      ['write', 'flashblock', 36, 37],
    ])
  })

  test('has a trace without a subscriber after a second', () => {
    const { clock, events, answer, written } = scene()
    clock.moveTo(10)
    events.emit('pooled', pooled)
    answer(HASH)
    events.emit('flashblock', flashblock(HASH))

    clock.moveTo(1_000)
    expect(written()).toHaveLength(1)
    clock.moveTo(1_010)

    expect(written().map(([name]) => name)).toEqual(['eth_sendRawTransaction', 'pool', 'flashblock'])
  })

  test('has a trace when it is answered after its flashblock, with the receipt', () => {
    const { clock, traces, events, answer, written } = scene()
    const event = flashblock(HASH)
    clock.moveTo(20)
    events.emit('pooled', pooled)
    events.emit('flashblock', event)
    traces.onFlashblockDelivered(event)

    clock.moveTo(25)
    answer(new EncodedJson(JSON.stringify({ transactionHash: HASH })), {
      method: 'eth_sendRawTransactionSync',
      milliseconds: 25,
    })

    expect(written().map(([name, parent]) => [name, parent])).toEqual([
      ['eth_sendRawTransactionSync', undefined],
      ['pool', 'eth_sendRawTransactionSync'],
      ['flashblock', 'eth_sendRawTransactionSync'],
      ['write', 'flashblock'],
    ])
  })

  test('has a trace up to its drop', () => {
    const { events, answer, spans } = scene()
    events.emit('pooled', pooled)
    answer(HASH)

    events.emit('dropped', dropped)
    events.emit('flashblock', flashblock(HASH))

    expect(spans.map(({ name }) => name)).toEqual(['eth_sendRawTransaction', 'pool', 'dropped'])
    expect(spans.at(-1)?.attributes).toEqual({ 'tickertape.reason': 'LIFETIME' })
  })

  test('has no further spans when its trace is not sampled', () => {
    const { traces, events, answer, spans } = scene({ isSampled: false })
    const event = flashblock(HASH)
    events.emit('pooled', pooled)
    answer(HASH)
    events.emit('flashblock', event)
    traces.onFlashblockDelivered(event)

    expect(spans.map(({ name }) => name)).toEqual(['eth_sendRawTransaction'])
  })
})

test('transactions of other processes leave no place of a followed one taken', () => {
  const { clock, events, answer, written } = scene()
  events.emit('pooled', pooled)
  answer(HASH)
  for (let round = 0; round < 3; round++) {
    const hashes = Array.from({ length: 4_000 }, (_, index) => `0x${round * 4_000 + index}`)
    for (const hash of hashes) events.emit('pooled', { hash } as unknown as PooledTransaction)
    events.emit('flashblock', flashblock(...hashes))
    clock.moveTo(clock.monotonic() + 1_000)
  }

  events.emit('flashblock', flashblock(HASH))
  clock.moveTo(clock.monotonic() + 1_000)

  expect(written().map(([name]) => name)).toEqual(['eth_sendRawTransaction', 'pool', 'flashblock'])
})

describe('a request', () => {
  const traceparent = `00-${REMOTE.traceId}-${REMOTE.spanId}-01`

  test('continues the trace of its client', () => {
    const { traces, spans } = scene()
    const client = { ...CLIENT, traceparent }

    const traceId = traces.onResponse('eth_chainId', 1, undefined, { client, id: '1', result: '0x1' })

    expect(traceId).toBe(REMOTE.traceId)
    expect(spans).toMatchObject([{ name: 'eth_chainId', parent: REMOTE, isServer: true }])
  })

  test('continues the trace of its client a hundred times per second at most', () => {
    const { clock, traces } = scene()
    const client = { ...CLIENT, traceparent }
    const traced = () =>
      traces.onResponse('eth_chainId', 0, undefined, { client, id: '1', result: '0x1' }) !== undefined

    expect(Array.from({ length: 150 }, traced).filter(Boolean)).toHaveLength(100)
    clock.moveTo(clock.monotonic() + 1_000)
    expect(traced()).toBe(true)
  })

  test('that only reads begins no trace', () => {
    const { answer, spans } = scene()

    expect(answer('0x1', { method: 'eth_chainId' })).toBe(undefined)
    expect(spans).toEqual([])
  })

  test('that fails has the error in its span', () => {
    const { traces, spans } = scene()

    traces.onResponse('eth_sendRawTransaction', 1, new RpcError(-32000, 'nonce too low'), { client: CLIENT, id: '1' })

    expect(spans).toMatchObject([{ error: 'nonce too low', attributes: { 'rpc.jsonrpc.error_code': -32000 } }])
  })
})
