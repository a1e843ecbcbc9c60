import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { deployEmitter, signEmission, topicOf } from '../../../test/support/log-emitter.ts'
import { type RpcNode, startRpcNode } from '../../../test/support/rpc-node.ts'
import { propertyRuns } from '../../../test/support/runs.ts'
import { DEVELOPMENT_ACCOUNTS } from '../../chain/accounts/development-accounts.ts'
import type { View } from '../../node/view/view.ts'
import { logFilter } from '../codecs/log-filter.ts'
import { GO_ETHEREUM } from '../compat/node-conventions.ts'
import { createRpc } from '../create-rpc.ts'
import { ANONYMOUS } from '../protocol/rpc-client.ts'
import { filterChanges } from '../queries/filter-changes.ts'
import { watchedLogs } from './filter-range.ts'
import { FilterSet } from './filter-set.ts'

const SENDER = DEVELOPMENT_ACCOUNTS[0]!.address
const RUNS = propertyRuns(30)

interface WireLog {
  readonly transactionHash: string
  readonly logIndex: string
  readonly blockNumber: string
  readonly removed: boolean
}

type Step =
  | { readonly kind: 'emit'; readonly topic: number }
  | { readonly kind: 'flashblock' }
  | { readonly kind: 'block' }
  | { readonly kind: 'unwind'; readonly depth: number }
  | { readonly kind: 'poll'; readonly filter: number; readonly times: number }

const step: fc.Arbitrary<Step> = fc.oneof(
  { weight: 6, arbitrary: fc.record({ kind: fc.constant('emit' as const), topic: fc.integer({ min: 1, max: 3 }) }) },
  { weight: 4, arbitrary: fc.constant({ kind: 'flashblock' as const }) },
  { weight: 3, arbitrary: fc.constant({ kind: 'block' as const }) },
  { weight: 2, arbitrary: fc.record({ kind: fc.constant('unwind' as const), depth: fc.nat(3) }) },
  {
    weight: 6,
    arbitrary: fc.record({
      kind: fc.constant('poll' as const),
      filter: fc.nat(5),
      times: fc.integer({ min: 1, max: 3 }),
    }),
  },
)

/** A client's state from the responses of a filter; `compare` checks it against the chain. */
interface Follower {
  poll(): Promise<number>
  compare(): Promise<void>
}

type Request = (method: string, ...params: unknown[]) => Promise<unknown>

/** Keeps the logs received: each is added once and removed once. */
async function followLogs(filter: object, node: RpcNode, oracle: Request): Promise<Follower> {
  const id = await node.result('eth_newFilter', filter)
  const keyOf = ({ transactionHash, logIndex, blockNumber }: WireLog) => `${blockNumber} ${transactionHash} ${logIndex}`
  const present = async () => ((await oracle('eth_getLogs', filter)) as WireLog[]).map(keyOf)
  const known = new Set(await present())
  return {
    async poll() {
      const changes = (await node.result('eth_getFilterChanges', id)) as unknown as WireLog[]
      for (const log of changes) {
        expect(known.has(keyOf(log))).toBe(log.removed)
        if (log.removed) known.delete(keyOf(log))
        else known.add(keyOf(log))
      }
      return changes.length
    },
    async compare() {
      expect([...known].sort()).toEqual((await present()).sort())
    },
  }
}

/** Keeps the hash of every height: the last one received counts. */
async function followBlocks(node: RpcNode): Promise<Follower> {
  const id = await node.result('eth_newBlockFilter')
  const first = Number(await node.result('eth_blockNumber')) + 1
  const hashes = new Map<number, string>()
  const messages = new Set<string>()
  return {
    async poll() {
      const changes = (await node.result('eth_getFilterChanges', id)) as unknown as string[]
      for (const hash of changes) {
        expect(messages.has(hash)).toBe(false)
        messages.add(hash)
        const header = await node.result('eth_getHeaderByHash', hash)
        hashes.set(Number(header.number), hash)
      }
      return changes.length
    },
    async compare() {
      const latest = Number(await node.result('eth_blockNumber'))
      for (let height = first; height <= latest; height++) {
        const { hash } = await node.result('eth_getHeaderByNumber', `0x${height.toString(16)}`)
        expect(hashes.get(height)).toBe(hash)
      }
    },
  }
}

async function followTransactions(full: boolean, node: RpcNode, sent: readonly string[]): Promise<Follower> {
  const id = await node.result('eth_newPendingTransactionFilter', full)
  const first = sent.length
  const messages: string[] = []
  return {
    async poll() {
      const changes = (await node.result('eth_getFilterChanges', id)) as unknown as (string | { hash: string })[]
      messages.push(...changes.map((change) => (typeof change === 'string' ? change : change.hash)))
      return changes.length
    },
    async compare() {
      expect(messages).toEqual(sent.slice(first))
    },
  }
}

describe('property: changes between two polls are complete and returned once', () => {
  test('while blocks are built and unwound', { timeout: 300_000 }, async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(step, { minLength: 10, maxLength: 60 }), fc.constantFrom(1, 2, 10_000), follow),
      { numRuns: RUNS },
    )
  })
})

async function follow(steps: readonly Step[], maxLogs: number): Promise<void> {
  const node = await startRpcNode({ maxLogs })
  try {
    await deployEmitter(node)
    await node.nextBlock()
    const rpc = createRpc({ ...node.options, maxLogs: 10_000 }, node.deps)
    const oracle: Request = async (method, ...params) =>
      JSON.parse((await rpc.handle(JSON.stringify({ jsonrpc: '2.0', id: 1, method, params })))!).result
    const sent: string[] = []
    const some = { topics: [[topicOf(1), topicOf(2)]] }
    const followers = [
      await followLogs({ fromBlock: 'earliest', toBlock: 'pending' }, node, oracle),
      await followLogs({ ...some, fromBlock: '0x2', toBlock: 'pending' }, node, oracle),
      await followLogs({ fromBlock: 'earliest', toBlock: 'latest', ...some }, node, oracle),
      await followLogs({ fromBlock: 'earliest', toBlock: 'safe' }, node, oracle),
      await followBlocks(node),
      await followTransactions(false, node, sent),
    ]
    for (const item of steps) await take(item, node, followers, sent)
    for (const follower of followers) {
      while ((await follower.poll()) > 0);
      await follower.compare()
    }
    expect(node.logged).toEqual([])
  } finally {
    await node.stop()
  }
}

async function take(item: Step, node: RpcNode, followers: readonly Follower[], sent: string[]): Promise<void> {
  switch (item.kind) {
    case 'emit': {
      const nonce = BigInt(String(await node.result('eth_getTransactionCount', SENDER, 'pending')))
      const { raw, hash } = signEmission(nonce, topicOf(item.topic))
      await node.result('eth_sendRawTransaction', raw)
      sent.push(hash)
      return
    }
    case 'flashblock':
      return node.nextFlashblock()
    case 'block':
      return node.nextBlock()
    case 'unwind': {
      const latest = Number(await node.result('eth_blockNumber'))
      await node.result('debug_setHead', `0x${Math.max(1, latest - item.depth).toString(16)}`)
      return
    }
    case 'poll':
      for (let time = 0; time < item.times; time++) await followers[item.filter]!.poll()
  }
}

describe('resource limits', () => {
  test('a filter expires without a poll within its lifetime', async () => {
    const node = await startRpcNode()
    const [left, polled] = [await node.result('eth_newBlockFilter'), await node.result('eth_newBlockFilter')]
    node.clock.moveTo(node.clock.monotonic() + 299_000)
    await node.node.idle()
    await node.result('eth_getFilterChanges', polled)
    node.clock.moveTo(node.clock.monotonic() + 2_000)
    await node.node.idle()
    const { error } = await node.request('eth_getFilterChanges', left)
    expect(error).toEqual({ code: -32000, message: 'filter not found' })
    expect((await node.request('eth_getFilterChanges', polled)).error).toBeUndefined()
    await node.stop()
  })

  test('limits filters, addresses and topics per client and in total', async () => {
    const limits = { maxFilters: 3, maxFiltersPerClient: 2, maxFilterCriteria: 8, maxFilterCriteriaPerClient: 5 }
    const base = await startRpcNode()
    const rpc = createRpc({ ...base.options, ...limits }, base.deps)
    const request = async (address: string, method: string, ...params: unknown[]) => {
      const client = { ...ANONYMOUS, address }
      return JSON.parse((await rpc.handle(JSON.stringify({ jsonrpc: '2.0', id: 1, method, params }), client))!)
    }
    const address = Array.from({ length: 4 }, (_, index) => `0x${String(index).repeat(40)}`)
    const first = await request('a', 'eth_newFilter', { address })
    expect(first.error).toBeUndefined()
    expect((await request('a', 'eth_newFilter', { address })).error).toMatchObject({ code: -32006 })
    expect((await request('b', 'eth_newFilter', { address })).error).toBeUndefined()
    expect((await request('c', 'eth_newFilter', { address: address[0] })).error.message).toMatch(
      /in all filters, limit 8/,
    )
    expect((await request('a', 'eth_newBlockFilter')).error).toBeUndefined()
    expect((await request('a', 'eth_newBlockFilter')).error.message).toMatch(/too many filters of the client, limit 2/)
    expect((await request('c', 'eth_newBlockFilter')).error.message).toBe('too many filters, limit 3: try again later')
    expect(await request('b', 'eth_uninstallFilter', first.result)).toMatchObject({ result: true })
    expect((await request('c', 'eth_newFilter', { address })).error).toBeUndefined()
    await base.stop()
  })

  test('a filter that missed more changes than are cached ends with an error', async () => {
    const base = await startRpcNode()
    await deployEmitter(base)
    const rpc = createRpc({ ...base.options, maxFilterHashes: 2, maxFilterRemovedBytes: 300 }, base.deps)
    const request = async (method: string, ...params: unknown[]) =>
      JSON.parse((await rpc.handle(JSON.stringify({ jsonrpc: '2.0', id: 1, method, params })))!)
    const { result: transactions } = await request('eth_newPendingTransactionFilter')
    const { result: logs } = await request('eth_newFilter', { toBlock: 'pending' })
    for (const nonce of [1n, 2n, 3n]) await request('eth_sendRawTransaction', signEmission(nonce, topicOf(1)).raw)
    await base.nextFlashblock()
    expect((await request('eth_getFilterChanges', logs)).result).toHaveLength(3)
    await request('debug_setHead', '0x1')
    for (const id of [transactions, logs]) {
      expect((await request('eth_getFilterChanges', id)).error.message).toMatch(/^filter not found: more has changed/)
      expect((await request('eth_getFilterChanges', id)).error.message).toBe('filter not found')
    }
    await base.stop()
  })
})

test('concurrent polls divide the changes between them', async () => {
  const node = await startRpcNode({ maxLogs: 2 })
  await deployEmitter(node)
  const id = await node.result('eth_newFilter', { toBlock: 'pending' })
  for (let nonce = 1n; nonce <= 5n; nonce++) {
    await node.result('eth_sendRawTransaction', signEmission(nonce, topicOf(Number(nonce))).raw)
  }
  await node.nextFlashblock()
  const responses = await Promise.all(Array.from({ length: 4 }, () => node.result('eth_getFilterChanges', id)))
  const topics = (responses as unknown as { topics: string[] }[][]).map((logs) =>
    logs.map((log) => Number(log.topics[0])),
  )
  expect(topics).toEqual([[1, 2], [3, 4], [5], []])
  await node.stop()
})

test('a poll on an older view than the last one returns nothing', async () => {
  const node = await startRpcNode()
  await deployEmitter(node)
  const now = () => node.clock.monotonic()
  const filters = new FilterSet(node.options, { ...node.deps, now })
  const watched = watchedLogs(logFilter.decode({ toBlock: 'pending' }), 'base', GO_ETHEREUM.logs)
  const id = filters.watchLogs(watched, '', node.node.view())
  const poll = (view: View) =>
    filterChanges(filters.get(id)!, {
      id,
      filters,
      context: {
        view,
        config: node.node.config,
        options: node.options,
        yieldIfDue: () => true,
        grown: () => {},
        node: node.node,
      },
    })
  await node.result('eth_sendRawTransaction', signEmission(1n, topicOf(1)).raw)
  await node.nextBlock()
  const older = node.node.view()
  older.retain()
  expect(await poll(older)).toMatchObject([{ removed: false }])
  await node.result('debug_setHead', '0x1')
  expect(await poll(node.node.view())).toMatchObject([{ removed: true }])
  expect(await poll(older)).toEqual([])
  expect(await poll(node.node.view())).toEqual([])
  older.release()
  await node.stop()
})
