import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { ManualClock } from '../../../test/support/manual-clock.ts'
import { type RpcNode, startRpcNode } from '../../../test/support/rpc-node.ts'
import { type RpcServer, startRpcServer } from '../../../test/support/rpc-server.ts'
import {
  type Fault,
  startUnreliableUpstream,
  type UnreliableUpstream,
} from '../../../test/support/unreliable-upstream.ts'
import { systemClock } from '../../node/core/clock.ts'
import { ForkError } from '../source/fork-error.ts'
import { ForkUpstream, type ForkUpstreamOptions } from './fork-upstream.ts'

const ACCOUNT = '0xf39fd6e51aad88f6f4ce6ab8827279cfffb92266'
const OPTIONS = {
  timeoutMs: 5_000,
  retries: 2,
  retryPolicy: { firstWaitMs: 1, longestWaitMs: 5, growth: 'linear' },
  concurrency: 8,
  batchSize: 100,
  maxResponseBytes: 100_000,
} as const satisfies Partial<ForkUpstreamOptions>

let node: RpcNode
let server: RpcServer
let proxy: UnreliableUpstream
beforeAll(async () => {
  node = await startRpcNode()
  server = await startRpcServer(async (body) => node.rpc.handle(body))
})
afterAll(async () => {
  await server.close()
  await node.stop()
})
beforeEach(async () => {
  proxy = await startUnreliableUpstream(server.url)
})
afterEach(() => proxy.close())

function upstreamOf(options: Partial<ForkUpstreamOptions> = {}): ForkUpstream {
  const parts = { fetch, clock: systemClock, now: Date.now, random: () => 0 }
  return new ForkUpstream({ urls: [proxy.url], ...OPTIONS, ...options }, parts)
}

async function errorOf(work: Promise<unknown>): Promise<ForkError> {
  const error = await work.then(
    () => expect.unreachable('succeeded'),
    (reason: unknown) => reason,
  )
  expect(error).toBeInstanceOf(ForkError)
  return error as ForkError
}

describe('batches', () => {
  test('calls of one turn are one request', async () => {
    const upstream = upstreamOf()
    const [chainId, balance] = await Promise.all([
      upstream.call('eth_chainId', []),
      upstream.call('eth_getBalance', [ACCOUNT, '0x0']),
    ])
    expect(chainId).toBe(await node.result('eth_chainId'))
    expect(balance).toBe(await node.result('eth_getBalance', ACCOUNT, '0x0'))
    expect(proxy.requests).toBe(1)
  })

  test('equal calls in progress are one call', async () => {
    const upstream = upstreamOf()
    const calls = Array.from({ length: 10 }, () => upstream.call('eth_getBalance', [ACCOUNT, '0x0']))
    expect(new Set(await Promise.all(calls)).size).toBe(1)
    expect(proxy.methods).toEqual(['eth_getBalance'])
    expect(upstream.statistics).toMatchObject({ requests: 1, calls: 1, merged: 9 })
  })

  test('a round larger than a batch is split', async () => {
    const upstream = upstreamOf({ batchSize: 3 })
    await Promise.all(
      Array.from({ length: 7 }, (_, slot) => upstream.call('eth_getStorageAt', [ACCOUNT, `0x${slot}`, '0x0'])),
    )
    expect(proxy.requests).toBe(3)
  })

  test('a hint without an answer delays no read, and is not repeated', async () => {
    const upstream = upstreamOf({ timeoutMs: 2_000 })
    proxy.unanswered = new Set(['debug_traceCall'])

    const [error, chainId] = await Promise.all([
      errorOf(upstream.call('debug_traceCall', [{}, '0x0'])),
      upstream.call('eth_chainId', []),
    ])

    expect(error.code).toBe('FORK_TIMEOUT')
    expect(chainId).toBe(await node.result('eth_chainId'))
    expect(proxy.methods.toSorted()).toEqual(['debug_traceCall', 'eth_chainId'])
  })

  test('an upstream that refuses batches is asked one by one from then on', async () => {
    const upstream = upstreamOf()
    proxy.faults.push('batchRefused')
    const round = () =>
      Promise.all(['eth_chainId', 'eth_gasPrice', 'net_version'].map((name) => upstream.call(name, [])))
    // "batch too large" halves the batch, to one call of three.
    const first = await round()
    expect(first[0]).toBe(await node.result('eth_chainId'))
    expect(proxy.requests).toBe(4)
    await round()
    expect(proxy.requests).toBe(7)
  })

  test('an error of one call does not affect the others of its batch', async () => {
    const upstream = upstreamOf()
    const [chainId, error] = await Promise.all([
      upstream.call('eth_chainId', []),
      errorOf(upstream.call('no_such', [])),
    ])
    expect(chainId).toBe(await node.result('eth_chainId'))
    expect(error.code).toBe('FORK_METHOD_UNSUPPORTED')
    expect(error.reply?.code).toBe(-32601)
  })
})

describe('failures', () => {
  test.each<Fault>([
    'reset',
    'truncated',
    'notJson',
    'status500',
    'limited',
    'headerNotFound',
    'oneMissing',
    'noResult',
  ])('a call succeeds after: %s', async (fault) => {
    const upstream = upstreamOf()
    proxy.faults.push(fault, fault)
    expect(await upstream.call('eth_chainId', [])).toBe(await node.result('eth_chainId'))
    expect(proxy.requests).toBe(3)
    expect(upstream.statistics.retries).toBe(2)
  })

  test.each<[Fault, string, RegExp]>([
    ['reset', 'FORK_UNREACHABLE', /check --fork-url/],
    ['truncated', 'FORK_UNREACHABLE', /after 2 retries/],
    ['notJson', 'FORK_MALFORMED', /no JSON/],
    ['status500', 'FORK_HTTP_STATUS', /HTTP 500 after 2 retries/],
    ['limited', 'FORK_RATE_LIMITED', /lower --fork-requests-per-second/],
    ['headerNotFound', 'FORK_BLOCK_MISSING', /check --fork-block-number/],
  ])('a call fails after too many: %s', async (fault, code, text) => {
    proxy.faults.push(fault, fault, fault)
    const error = await errorOf(upstreamOf().call('eth_chainId', []))
    expect(error.code).toBe(code)
    expect(error.message).toMatch(text)
    expect(error.message).toContain(new URL(proxy.url).host)
    expect(error.message).toContain('eth_chainId')
    expect(proxy.requests).toBe(3)
  })

  test.each<[Fault, string]>([
    ['status403', 'FORK_HTTP_STATUS'],
    ['huge', 'FORK_TOO_LARGE'],
    ['redirect', 'FORK_UNREACHABLE'],
  ])('a call fails for good after: %s', async (fault, code) => {
    proxy.faults.push(fault)
    const error = await errorOf(upstreamOf({ retries: 0 }).call('eth_chainId', []))
    expect(error.code).toBe(code)
  })

  test('an upstream that does not answer is given up after the timeout', async () => {
    proxy.faults.push('silence')
    const error = await errorOf(upstreamOf({ retries: 0, timeoutMs: 20 }).call('eth_chainId', []))
    expect(error).toMatchObject({ code: 'FORK_TIMEOUT', message: expect.stringMatching(/raise --fork-timeout-ms/) })
  })

  test('a call is repeated when `Retry-After` says so, not before', async () => {
    const clock = new ManualClock({ wall: 0 })
    const parts = { fetch, clock, now: Date.now, random: () => 0 }
    const upstream = new ForkUpstream({ urls: [proxy.url], ...OPTIONS }, parts)
    proxy.faults.push('status429')
    const result = upstream.call('eth_chainId', [])
    // The timeout of the request is replaced by the pause of one second.
    await expect.poll(() => clock.next).toBe(1_000)
    clock.moveTo(999)
    await new Promise((resolve) => setImmediate(resolve))
    expect(proxy.requests).toBe(1)
    clock.moveTo(1_000)
    expect(await result).toBe(await node.result('eth_chainId'))
    expect(proxy.requests).toBe(2)
  })

  test('a retry goes to the next upstream', async () => {
    const other = await startUnreliableUpstream(server.url)
    const upstream = upstreamOf({ urls: [proxy.url, other.url], retries: 1 })
    proxy.faults.push('status403')
    expect(await upstream.call('eth_chainId', [])).toBe(await node.result('eth_chainId'))
    expect([proxy.requests, other.requests]).toEqual([1, 1])
    await other.close()
  })

  test('each upstream can be asked, to compare them', async () => {
    const other = await startUnreliableUpstream(server.url)
    other.faults.push('wrongChain')
    const upstream = upstreamOf({ urls: [proxy.url, other.url] })
    expect(await upstream.callEach('eth_chainId', [])).toEqual([await node.result('eth_chainId'), '0x1'])
    await other.close()
  })

  test('messages contain no key, whatever the upstream says', async () => {
    const key = 'abcdef0123456789'
    const leaky = await startRpcServer(async () =>
      JSON.stringify({
        jsonrpc: '2.0',
        id: 0,
        error: {
          code: -32000,
          message: `no project ${key}, Bearer hush-hush`,
          data: { [key]: ['hush-hush', { see: `https://node.example/v3/${key}`, code: 7 }], output: '0x0badc0de' },
        },
      }),
    )
    const upstream = upstreamOf({ urls: [`${leaky.url}v3/${key}`], headers: { authorization: 'Bearer hush-hush' } })
    const error = await errorOf(upstream.call('eth_chainId', []))
    expect(JSON.stringify([error.message, error.reply])).not.toMatch(/abcdef0123456789|hush/)
    expect(error.message).toContain('/… refused eth_chainId: no project …')
    expect(error.reply?.data).toEqual({
      '…': ['…', { see: 'https://node.example/v3/…', code: 7 }],
      output: '0x0badc0de',
    })
    await leaky.close()
  })
})

describe('limits', () => {
  test('at most so many requests run at a time', async () => {
    let running = 0
    let most = 0
    const slow = await startRpcServer(async () => {
      running += 1
      most = Math.max(most, running)
      await new Promise(setImmediate)
      running -= 1
      return JSON.stringify({ jsonrpc: '2.0', id: 0, result: '0x1' })
    })
    const upstream = upstreamOf({ urls: [slow.url], concurrency: 2, batchSize: 1 })
    await Promise.all(Array.from({ length: 12 }, (_, slot) => upstream.call('eth_getStorageAt', [ACCOUNT, slot])))
    expect(most).toBe(2)
    await slow.close()
  })

  test('an aborted caller does not end the call of another one', async () => {
    const upstream = upstreamOf()
    const abort = new AbortController()
    const first = errorOf(upstream.call('eth_chainId', [], { signal: abort.signal }))
    const second = upstream.call('eth_chainId', [])
    abort.abort()
    expect((await first).code).toBe('FORK_STOPPED')
    expect(await second).toBe(await node.result('eth_chainId'))
  })

  test('closing rejects what is in progress, and what waits to be repeated', async () => {
    const upstream = upstreamOf({ retryPolicy: { firstWaitMs: 60_000, longestWaitMs: 60_000, growth: 'linear' } })
    proxy.faults.push('silence')
    const error = errorOf(upstream.call('eth_chainId', []))
    await new Promise((resolve) => setImmediate(() => setImmediate(resolve)))
    upstream.close()
    expect((await error).code).toBe('FORK_STOPPED')
    expect((await errorOf(upstream.call('eth_gasPrice', []))).code).toBe('FORK_STOPPED')
  })
})
