import { afterAll, beforeAll, expect, test } from 'vitest'
import { deployEmitter, signEmission, topicOf } from '../../../test/support/log-emitter.ts'
import { type RpcNode, startRpcNode } from '../../../test/support/rpc-node.ts'
import { searchLogRange } from '../queries/log-search.ts'
import { CHUNK_BLOCKS } from './memoized-chunks.ts'
import { MemoizedLogs } from './memoized-logs.ts'

/** Blocks 2 to this one have a log each: two complete chunks and parts of two others. */
const NEWEST = 3 * CHUNK_BLOCKS + 7

let node: RpcNode
beforeAll(async () => {
  node = await startRpcNode()
  await deployEmitter(node)
  for (let nonce = 1n; nonce < BigInt(NEWEST); nonce++) {
    await node.result('eth_sendRawTransaction', signEmission(nonce, topicOf(Number(nonce % 3n))).raw)
    await node.nextBlock()
  }
}, 120_000)
afterAll(() => node.stop())

const RANGES = [
  { from: 0, to: NEWEST },
  { from: 1, to: NEWEST - 1 },
  { from: CHUNK_BLOCKS, to: 2 * CHUNK_BLOCKS - 1 },
  { from: CHUNK_BLOCKS, to: 2 * CHUNK_BLOCKS - 2 },
  { from: CHUNK_BLOCKS + 1, to: 2 * CHUNK_BLOCKS },
  { from: 5, to: 2 * CHUNK_BLOCKS + 3 },
  { from: CHUNK_BLOCKS - 1, to: 3 * CHUNK_BLOCKS },
  { from: 2 * CHUNK_BLOCKS, to: NEWEST },
]
const QUERIES = [
  { addresses: [], topics: [] },
  { addresses: [], topics: [[topicOf(1), topicOf(2)]] },
  { addresses: [], topics: [[topicOf(1)]] },
] as unknown as readonly Parameters<typeof searchLogRange>[0][]

function search(
  query: (typeof QUERIES)[number],
  range: (typeof RANGES)[number],
  memoizedLogs: MemoizedLogs,
  { options = {}, now = () => 0 }: { readonly options?: object; readonly now?: () => number } = {},
) {
  const view = node.node.view()
  const all = { ...node.options, ...options }
  return searchLogRange(query, range, {
    view,
    options: all,
    now,
    yieldIfDue: () => true,
    grown: () => {},
    memoizedLogs,
  })
}

test.each([
  ['without interruptions', () => 0],
  ['with a slice used up every few logs', null],
])('logs of a range are the same after any earlier queries, %s', async (_, still) => {
  let time = 0
  const now = still ?? (() => (time += 0.5))
  for (const first of RANGES) {
    const memoized = new MemoizedLogs({ maxBytes: 1_000_000 })
    const options = { logTimeoutMs: Number.POSITIVE_INFINITY }
    for (const query of QUERIES) await search(query, first, memoized, { options, now })
    for (const range of RANGES) {
      for (const query of QUERIES) {
        const { text } = await search(query, range, new MemoizedLogs({ maxBytes: 0 }))
        expect((await search(query, range, memoized, { options, now })).text).toBe(text)
        expect((await search(query, range, memoized, { options, now })).text).toBe(text)
      }
    }
  }
})

test('does not search a memoized range again', async () => {
  const memoized = new MemoizedLogs({ maxBytes: 1_000_000 })
  const range = { from: 0, to: 3 * CHUNK_BLOCKS - 1 }
  let looks = 0
  const now = () => ++looks / 1000
  const looksFor = async () => {
    looks = 0
    await search(QUERIES[0]!, range, memoized, { now })
    return looks
  }
  const atFirst = await looksFor()
  expect(await looksFor()).toBeLessThan(atFirst / 10)
})

test('a rejected query suggests the same range after any earlier queries', async () => {
  for (const options of [{ maxLogs: CHUNK_BLOCKS + 5 }, { maxLogBytes: 50_000 }]) {
    const memoized = new MemoizedLogs({ maxBytes: 1_000_000 })
    const range = { from: 0, to: NEWEST }
    const expected = await search(QUERIES[0]!, range, new MemoizedLogs({ maxBytes: 0 }), { options }).catch((e) => e)
    await search(QUERIES[0]!, range, memoized)
    await expect(search(QUERIES[0]!, range, memoized, { options })).rejects.toEqual(expected)
    expect(expected.message).toMatch(/retry with the range 0x0-/)
  }
})

test('does not return logs of unwound blocks', async () => {
  const memoized = new MemoizedLogs({ maxBytes: 1_000_000 })
  const range = { from: 0, to: NEWEST }
  const before = (await search(QUERIES[0]!, range, memoized)).text
  await node.result('debug_setHead', `0x${(2 * CHUNK_BLOCKS + 10).toString(16)}`)
  while (node.node.view().head.sealed.latest < NEWEST) await node.nextBlock()
  const after = (await search(QUERIES[0]!, range, memoized)).text
  expect(after).toBe((await search(QUERIES[0]!, range, new MemoizedLogs({ maxBytes: 0 }))).text)
  expect(JSON.parse(after).length).toBeLessThan(JSON.parse(before).length)
}, 60_000)
