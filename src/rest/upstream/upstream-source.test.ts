import { expect, test } from 'vitest'
import { standaloneService } from '../../../test/support/standalone-service.ts'

/** Upstreams that cannot run in a test, with responses as in their documentation and sources. */
type Replies = (method: string, params: readonly unknown[]) => { result: unknown } | { error: object }

const STOCK = '0x5700000000000000000000000000000000000002'
const HASH = `0x${'ab'.repeat(32)}`
const WORD = `0x${'7'.padStart(64, '0')}`
const BLOCK = { number: '0x10', hash: HASH, timestamp: '0x65000000' }

function serviceOf(replies: Replies) {
  const usual: Replies = (method, params) => {
    if (method === 'eth_chainId') return { result: '0x7a69' }
    return params[0] === 'latest' ? { result: BLOCK } : replies(method, params)
  }
  const response = async (_: unknown, init?: RequestInit) => {
    const calls = JSON.parse(String(init!.body)) as { id: number; method: string; params: unknown[] }[]
    return Response.json(calls.map(({ id, method, params }) => ({ jsonrpc: '2.0', id, ...usual(method, params) })))
  }
  const service = standaloneService({ url: 'http://upstream.invalid', fetch: response as typeof fetch, retries: 0 })
  return {
    service,
    async supply(block: string) {
      const { status, body } = await service.get(`/v1/tokenized-stocks/total-supply/${STOCK}?block=${block}`)
      return { status, body: JSON.parse(String(body)) }
    },
  }
}

const error = (code: number, message: string) => ({ error: { code, message } })
/** Multicall3 does not exist: an aggregate returns no data, a single read returns seven. */
const seven = (params: readonly unknown[]) => {
  return { result: (params[0] as { to: string }).to === STOCK ? WORD : '0x' }
}

test.each<[string, string, Replies, number, RegExp | number]>([
  [
    'go-ethereum before the merge has a safe block',
    'safe',
    () => error(-39001, 'safe block not found'),
    404,
    /no block safe/,
  ],
  ['a node that does not know the tag', 'finalized', () => error(-32602, 'Invalid params'), 404, /no block finalized/],
  ['a block that is not there yet', '0x99', () => ({ result: null }), 404, /no block 0x99/],
  [
    "go-ethereum's pending block",
    'pending',
    () => ({ result: { ...BLOCK, hash: null } }),
    404,
    /pending block of the upstream node has no hash/,
  ],
  ['another height than asked for', '0x9', () => ({ result: BLOCK }), 503, /another block/],
  [
    'a block of no height',
    '0x9',
    () => ({ result: { ...BLOCK, number: null } }),
    503,
    /its block number is no hex quantity of at most 64 bits/,
  ],
  ['a height beyond all', '0x10', () => ({ result: { ...BLOCK, number: `0x${'f'.repeat(16)}` } }), 503, /no chain has/],
  [
    'a time beyond all',
    '0x10',
    () => ({ result: { ...BLOCK, timestamp: `0x${'f'.repeat(16)}` } }),
    503,
    /no calendar has/,
  ],
  ['no method for blocks', '0x10', () => error(-32601, 'the method does not exist'), 503, /does not exist \(-32601\)/],
])('%s', async (_, block, replies, status, text) => {
  const response = await serviceOf(replies).supply(block)
  expect(response).toMatchObject({ status, body: { message: expect.stringMatching(text as RegExp) } })
})

test.each<[string, ReturnType<Replies>, number, string]>([
  [
    'a full node asked for old state',
    error(-32000, 'missing trie node 00 is not available'),
    404,
    'or an archive node',
  ],
  ['a node that ends long calls', error(-32000, 'execution aborted (timeout = 5s)'), 504, 'ended a read'],
  ['a node that allows less gas', error(-32000, 'gas required exceeds allowance'), 503, 'refused a read'],
  ['calls that return no bytes', { result: null }, 503, 'returned no bytes'],
  ['a token that reverts', error(3, 'execution reverted: block not found'), 404, 'no token at'],
])('%s', async (_, reply, status, text) => {
  const response = await serviceOf(() => reply).supply('latest')
  expect(response).toMatchObject({ status, body: { message: expect.stringContaining(text) } })
})

test('reads by number, with checks before and after, once the upstream has rejected hashes', async () => {
  const { service, supply } = serviceOf((method, params) => {
    if (method === 'eth_getBlockByNumber') return { result: BLOCK }
    return typeof params[1] === 'object' ? error(-32602, 'invalid argument 1: cannot unmarshal object') : seven(params)
  })
  expect(await supply('latest')).toEqual({ status: 200, body: 0.0000007 })
  service.sent()
  expect((await service.get(`/v1/tokenized-stocks/total-supply/0x${'57'.repeat(20)}`)).status).toBe(404)
  const look = 'eth_getBlockByNumber'
  expect(service.sent()).toEqual([['eth_chainId', look], [look, 'eth_call', 'eth_call', look], [look]])
})

test('discards reads at a number that refers to another block afterwards', async () => {
  let looks = 0
  const { supply } = serviceOf((method, params) => {
    // The number refers to two blocks in turn.
    if (method === 'eth_getBlockByNumber')
      return { result: { ...BLOCK, hash: looks++ % 2 === 0 ? HASH : `0x${'cd'.repeat(32)}` } }
    return typeof params[1] === 'object' ? error(-32602, 'invalid argument 1') : seven(params)
  })
  expect(await supply('0x10')).toMatchObject({
    status: 503,
    body: { code: 14, details: [{ reason: 'UPSTREAM_BLOCK_REPLACED' }] },
  })
})

test('a request for latest retries at the new block when a concurrent request for its hash fails', async () => {
  const NEW = `0x${'cd'.repeat(32)}`
  let hasReorganised = false
  const service = standaloneService({
    url: 'http://upstream.invalid',
    retries: 0,
    fetch: (async (_: unknown, init?: RequestInit) => {
      const calls = JSON.parse(String(init!.body)) as { id: number; method: string; params: unknown[] }[]
      // After the first read of a contract the chain is another one.
      hasReorganised ||= calls.some(({ method }) => method === 'eth_call')
      const newest = { ...BLOCK, hash: hasReorganised ? NEW : HASH }
      const replyTo = (method: string, params: readonly unknown[]) => {
        if (method === 'eth_chainId') return { result: '0x7a69' }
        if (method === 'eth_getBlockByHash') return { result: params[0] === newest.hash ? newest : null }
        if (method === 'eth_getBlockByNumber') return { result: newest }
        const { blockHash } = params[1] as { blockHash?: string }
        return blockHash === HASH ? error(-32000, 'header not found') : seven(params)
      }
      return Response.json(calls.map(({ id, method, params }) => ({ jsonrpc: '2.0', id, ...replyTo(method, params) })))
    }) as typeof fetch,
  })
  const supply = (block: string) => service.get(`/v1/tokenized-stocks/total-supply/${STOCK}?block=${block}`)
  const [byHash, byTag] = await Promise.all([supply(HASH), supply('latest')])
  expect(byTag).toMatchObject({ status: 200, body: '7e-7', headers: { 'x-block-hash': NEW } })
  expect(byHash).toMatchObject({ status: 404 })
  expect(String(byHash.body)).toContain(`block ${HASH} cannot be read any more`)
})
