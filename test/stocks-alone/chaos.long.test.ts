import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { RPC_STATUS_SCHEMA } from '../../src/rest/http/schema.ts'
import { hurriedClock } from '../support/hurried-clock.ts'
import { type ManualServer, startManualServer } from '../support/manual-server.ts'
import { type StandaloneOptions, standaloneService } from '../support/standalone-service.ts'
import {
  type Fault,
  HUGE_BYTES,
  startUnreliableUpstream,
  type UnreliableUpstream,
} from '../support/unreliable-upstream.ts'

const STOCK = '0x5700000000000000000000000000000000000002'
const SUPPLY = `/v1/tokenized-stocks/total-supply/${STOCK}`
const RETRIES = 2

let node: ManualServer
let upstream: UnreliableUpstream
beforeAll(async () => {
  node = await startManualServer()
  upstream = await startUnreliableUpstream(node.url)
})
afterAll(async () => {
  await upstream.close()
  await node.stop()
})
beforeEach(() => {
  upstream.faults = []
})

function alone(options: Partial<StandaloneOptions> = {}) {
  const limits: Partial<StandaloneOptions> = {
    maxBytes: HUGE_BYTES / 2,
    retries: RETRIES,
    upstreamTimeoutMs: 20_000,
    deadlineMs: 100_000,
  }
  return standaloneService({ url: upstream.url, clock: hurriedClock(), ...limits, ...options })
}

/** `passing`: the fault is transient, so that a retry makes sense. */
const OUTCOMES: readonly (readonly [Fault, number, number, string, 'passing' | 'lasting'])[] = [
  ['silence', 504, 4, 'UPSTREAM_TIMEOUT', 'passing'],
  ['reset', 503, 14, 'UPSTREAM_UNREACHABLE', 'passing'],
  ['truncated', 503, 14, 'UPSTREAM_UNREACHABLE', 'passing'],
  ['redirect', 503, 14, 'UPSTREAM_UNREACHABLE', 'passing'],
  ['notJson', 503, 14, 'UPSTREAM_MALFORMED', 'passing'],
  ['notAnswer', 503, 14, 'UPSTREAM_MALFORMED', 'passing'],
  ['noResult', 503, 14, 'UPSTREAM_MALFORMED', 'passing'],
  ['oneMissing', 503, 14, 'UPSTREAM_MALFORMED', 'passing'],
  ['oneTwice', 503, 14, 'UPSTREAM_MALFORMED', 'passing'],
  ['strangeResult', 503, 14, 'UPSTREAM_MALFORMED', 'lasting'],
  ['status500', 503, 14, 'UPSTREAM_HTTP_STATUS', 'passing'],
  ['status403', 503, 14, 'UPSTREAM_HTTP_STATUS', 'lasting'],
  ['status429', 503, 14, 'UPSTREAM_RATE_LIMITED', 'passing'],
  ['limited', 503, 14, 'UPSTREAM_RATE_LIMITED', 'passing'],
  ['huge', 503, 14, 'UPSTREAM_ANSWER_TOO_LARGE', 'lasting'],
  ['wrongChain', 503, 14, 'UPSTREAM_WRONG_CHAIN', 'lasting'],
  ['headerNotFound', 503, 14, 'UPSTREAM_REFUSED', 'lasting'],
  ['batchRefused', 503, 14, 'UPSTREAM_REFUSED', 'lasting'],
]

describe.each(OUTCOMES)('an upstream with %s', (fault, status, code, reason, duration) => {
  test('is reported as documented, in the shape of every error', async () => {
    upstream.faults = Array(50).fill(fault)
    const before = upstream.requests
    const response = await alone().get(SUPPLY)
    const body = JSON.parse(String(response.body)) as Record<string, unknown>
    expect({ status: response.status, ...body }).toMatchObject({
      status,
      code,
      details: [{ reason, domain: 'tickertape' }],
    })
    expect(Object.keys(body)).toEqual(RPC_STATUS_SCHEMA.required)
    expect(response.headers).toMatchObject({ 'cache-control': 'no-store', 'access-control-allow-origin': '*' })
    // The URL of the upstream may contain a key.
    expect(response.body).not.toContain(new URL(upstream.url).port)
    expect(upstream.requests - before).toBe(duration === 'passing' ? 1 + RETRIES : 1)
  })

  test('once is hidden by a retry, or gone at the next request', async () => {
    for (const faults of [[fault], ['none', fault] as Fault[]]) {
      upstream.faults = faults
      const service = alone()
      const first = await service.get(SUPPLY)
      if (duration === 'passing') expect(first.status).toBe(200)
      upstream.faults = []
      expect((await service.get(SUPPLY)).body).toBe('2500000.125')
    }
  })
})

test('replies in another order are matched by id', async () => {
  upstream.faults = ['swappedIds', 'swappedIds']
  expect((await alone().get(SUPPLY)).body).toBe('2500000.125')
})

test('a refused connection is UPSTREAM_UNREACHABLE', async () => {
  const gone = await startUnreliableUpstream(node.url)
  await gone.close()
  const { status, body } = await alone({ url: gone.url }).get(SUPPLY)
  expect({ status, body }).toMatchObject({ status: 503, body: expect.stringContaining('ECONNREFUSED') })
})

test('rejects a request at once when the queue is full, and no request waits beyond the deadline', async () => {
  upstream.faults = Array(50).fill('silence')
  const service = alone({
    maxUpstreamRequests: 1,
    maxUpstreamWaiting: 1,
    retries: 0,
    upstreamTimeoutMs: 60_000,
    deadlineMs: 2_000,
  })
  const blocks = ['latest', 'pending', 'safe']
  const responses = await Promise.all(blocks.map((block) => service.get(`${SUPPLY}?block=${block}`)))
  const reasons = responses.map(({ status, body }) => [status, JSON.parse(String(body)).details[0].reason])
  expect(reasons).toEqual([
    [504, 'UPSTREAM_TIMEOUT'],
    [504, 'UPSTREAM_TIMEOUT'],
    [503, 'UPSTREAM_BUSY'],
  ])
})
