import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest'
import { createNode, type TickertapeNode } from '../../src/library/create-node.ts'
import type { NodeOptions } from '../../src/library/node-options.ts'
import { RPC_CODES } from '../../src/rpc/protocol/errors.ts'
import { type ForkedNode, startForkedNode } from '../support/forked-node.ts'
import { type Fault, startUnreliableUpstream } from '../support/unreliable-upstream.ts'

const KEY = 'c0ffee00c0ffee00c0ffee00c0ffee00'
const HEIGHT = 4
const STRANGER = '0x00000000000000000000000000000000000000aa'

let upstream: ForkedNode
beforeAll(async () => {
  upstream = await startForkedNode()
})
afterAll(() => upstream.close())

async function start(url: string, options: NodeOptions = {}): Promise<TickertapeNode> {
  const node = await createNode({
    forkUrl: `${url}v3/${KEY}`,
    forkBlockNumber: HEIGHT,
    noForkCache: true,
    mining: 'auto',
    forkRetries: 0,
    ...options,
  })
  onTestFinished(() => node.close())
  return node
}

function balance(node: TickertapeNode): Promise<unknown> {
  return node.request({ method: 'eth_getBalance', params: [STRANGER, 'latest'] })
}

async function failureOf(work: Promise<unknown>): Promise<{ readonly code: unknown; readonly message: string }> {
  return work.then(
    () => expect.unreachable('succeeded'),
    (error: { code: unknown; message: string }) => error,
  )
}

const { limitExceeded, server } = RPC_CODES
test.each<[Fault, NodeOptions, number, RegExp]>([
  ['status429', { forkRetries: 1 }, limitExceeded, /refused eth_getProof 2 times: lower --fork-requests-per-second/],
  ['silence', { forkTimeoutMs: 300 }, limitExceeded, /did not answer eth_getProof in time: raise --fork-timeout-ms/],
  ['reset', {}, limitExceeded, /cannot be reached for eth_getProof .*: check --fork-url and the network/],
  ['truncated', {}, limitExceeded, /eth_getProof.*: check --fork-url/],
  ['notJson', {}, server, /answered eth_getProof with something that is no JSON-RPC answer .*: check --fork-url/],
  ['status403', {}, server, /answered eth_getProof with HTTP 403: check the key in --fork-url, and --fork-header/],
  ['pruned', {}, server, /no longer has the state for eth_getProof: .*; use an archive node, or a newer --fork-block/],
])(
  '%s ends in an error that names the upstream without its key, the method and a remedy',
  async (fault, options, code, text) => {
    upstream.proxy.faults = []
    const node = await start(upstream.proxy.url, options)
    upstream.proxy.faults = Array.from({ length: 100 }, () => fault)

    const error = await failureOf(balance(node))

    expect(error).toMatchObject({ code, message: expect.stringMatching(text) })
    expect(error.message).toContain('127.0.0.1')
    expect(error.message).not.toContain(KEY)
    upstream.proxy.faults = []
    expect(await balance(node)).toBe('0x0')
  },
)

test('Retry-After is respected before the next attempt', async () => {
  upstream.proxy.faults = []
  const node = await start(upstream.proxy.url, { forkRetries: 1 })
  upstream.proxy.faults = ['status429']
  const begun = performance.now()

  expect(await balance(node)).toBe('0x0')

  expect(performance.now() - begun).toBeGreaterThan(950)
})

test('nodes of different chains are refused at the start', async () => {
  upstream.proxy.faults = ['wrongChain']

  const error = await failureOf(start(upstream.proxy.url, { forkUrl: `${upstream.proxy.url},${upstream.proxy.url}` }))

  expect(error).toMatchObject({ code: 'START_FAILED', message: expect.stringMatching(/of chain (1|31337).* forkUrl/) })
})

test('a fork block that was replaced is reported, and the node goes on with what it has', async () => {
  const other = await startForkedNode({ rounds: 3 })
  const proxy = await startUnreliableUpstream(upstream.url, other.url)
  onTestFinished(async () => {
    await proxy.close()
    await other.close()
  })
  const node = await start(proxy.url, { forkBlockNumber: 1 })
  const [{ address }] = node.accounts as [TickertapeNode['accounts'][number]]
  proxy.faults = Array.from({ length: 100 }, () => 'otherNode' as const)

  const error = await failureOf(balance(node))

  expect(error.message).toMatch(/replaced the fork block 1 .*older --fork-block-number/)
  expect(await node.request({ method: 'eth_getBalance', params: [address, 'latest'] })).toBe('0x21e19e0c9bab2400000')
})
