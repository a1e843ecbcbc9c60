import { once } from 'node:events'
import { readdirSync, readFileSync } from 'node:fs'
import { connect } from 'node:net'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { FeedClient } from '../../test/support/feed-client.ts'
import { type ManualServer, startManualServer } from '../../test/support/manual-server.ts'
import { FIXED_LIMITS } from './fixed-limits.ts'

const LIMITS = [...FIXED_LIMITS.values()].flat()
const SOURCES = new URL('../../src/', import.meta.url)

/** Constants that no client reaches, that no request names, or that are rules of the protocol. */
const OTHERS = new Set([
  // Sizes of caches, steps and queues of the process: nothing is refused when they are reached.
  'rpc/logs/memoized-chunks.ts MAX_CRITERIA',
  'rpc/context/tip-oracle.ts MAX_TIP',
  'rpc/scheduling/long-calls.ts MAX_CALLS',
  'rpc/context/shown-times.ts MAX_SHOWN_BLOCKS',
  'rpc/context/shown-times.ts MAX_SHOWN_FLASHBLOCKS',
  'rpc/queries/transaction-status.ts MAX_EXAMINED',
  'rpc/subscriptions/shared-texts.ts MAX_TOGETHER',
  'node/store/block-writer.ts MAX_HELD_BLOCKS',
  'node/store/chain-writer.ts MAX_YIELD_MS',
  'node/store/block-writer.ts MAX_HELD_ITEMS',
  'node/core/clock.ts MAX_TIMEOUT_MS',
  'node/view/old-tries.ts MAX_KEPT',
  'server/cluster/filter-service.ts MAX_POLLS',
  'server/cluster/outbox.ts MAX_MESSAGES',
  'server/cluster/outbox.ts MAX_MESSAGE_BYTES',
  'server/cluster/response-chunks.ts MAX_BEING_MADE',
  'server/cluster/served-worker.ts MAX_UNAPPLIED_BYTES',
  'server/http/request-head.ts MAX_CACHED_BYTES',
  'server/http/compression.ts MAX_RATIO',
  'rest/create-rest-service.ts MAX_BLOCKS',
  'rest/stock-events/stock-event-hub.ts MAX_BEGINNINGS',
  'rest/stock-history/holders.ts MAX_EXAMINED',
  'rest/create-rest-service.ts MAX_CACHED',
  'rest/create-rest-service.ts MAX_CACHED_LISTS',
  'rest/create-rest-service.ts MAX_CACHED_LISTINGS',
  'rest/supply-proof/verify-supply.ts MAX_ENGINES',
  'rest/routes/rest-context.ts MAX_REPLACED',
  'rest/tokenized-stocks/listing-dates.ts MAX_CHECKPOINTS',
  'rest/tokenized-stocks/listing-dates.ts MAX_ADDRESSES',
  'rest/tokenized-stocks/date-search.ts MAX_RIGHTS_EVENTS',
  'server/transport/foreign-origins.ts MAX_LOGGED',
  'rest/tokenized-stocks/node-logs.ts MAX_UNNEEDED_LOGS',
  'rest/upstream/read-plan.ts MAX_AGGREGATED',
  // Bounds of the terminal output, of tools, and of files that the operator provides.
  'rpc/queries/report-call.ts MAX_TRACE_BYTES',
  'rpc/state-files/load.ts MAX_AHEAD',
  'node/address-index/block-appearances.ts MAX_TRACE_BYTES',
  'node/tools/backup.ts MAX_LOG_BYTES',
  'node/tools/block-file.ts MAX_BLOCK_BYTES',
  'server/studio/studio-pages.ts MAX_ABIS',
  'rest/tokenized-stocks/parse-registry.ts MAX_SHOWN',
  // Between the nodes of a chain.
  'node/log/join-replicated-log.ts MAX_ADOPTED_BYTES',
  'node/roles/follower.ts MAX_RECORDS_BEHIND',
  'node/following/source-follower.ts MAX_INVALID',
  'server/replicas/served-replica.ts MAX_UNANSWERED',
  // Ranges of values, and units.
  'rpc/format/rollup.ts MAX_SEQUENCER_DRIFT',
  'rpc/methods/development/next-block.ts MAX_GAS_LIMIT',
  'rpc/methods/development/time.ts MAX_SECONDS',
  'node/development/payload-plan.ts MAX_EXTRA_DATA_BYTES',
  'rest/upstream/upstream-block.ts MAX_HEIGHT',
  'rest/upstream/upstream-block.ts MAX_TIME',
  // Bounds parsing of eth_getStorageValues, whose limit is reported by the method.
  'rpc/codecs/storage-requests.ts MAX_KEYS',
])

test('every `MAX_…` of the layers that serve clients is in the table, or concerns no client', () => {
  const table = readFileSync(new URL('fixed-limits.ts', import.meta.url), 'utf8')
  const places = ['rpc', 'node', 'server', 'rest'].flatMap((layer) =>
    readdirSync(new URL(`${layer}/`, SOURCES), { recursive: true, encoding: 'utf8' })
      .filter((file) => file.endsWith('.ts') && !file.endsWith('.test.ts'))
      .flatMap((file) =>
        [...readFileSync(new URL(`${layer}/${file}`, SOURCES), 'utf8').matchAll(/^(export )?const (MAX_\w+)/gm)].map(
          ([, isExported, name]) => ({ place: `${layer}/${file} ${name}`, name: name!, isExported }),
        ),
      ),
  )

  const missing = places.filter(({ name, isExported }) => !isExported || !new RegExp(`\\b${name}\\b`).test(table))

  expect(missing.map(({ place }) => place).sort()).toEqual([...OTHERS].sort())
})

/** The value of the row that begins so, and the first code of its outcome. */
function limitOf(beginning: string): { readonly value: number; readonly code: number } {
  const [, value, outcome] = LIMITS.find(([bounded]) => bounded.startsWith(beginning))!
  return { value: Number.parseInt(String(value), 10), code: Number(/-?\d+/.exec(outcome)![0]) }
}

const ADDRESS = `0x${'11'.repeat(20)}`
const HASH = `0x${'22'.repeat(32)}`
const many = <Item>(count: number, item: Item): Item[] => Array<Item>(count).fill(item)

function typedData({ types = 0, fields = 1, depth = 1 }): unknown {
  const others = Array.from({ length: types }, (_, index) => [`T${index}`, []] as const)
  let message: unknown = {}
  for (let level = 1; level < depth; level++) message = { next: message }
  return {
    domain: {},
    types: {
      ...Object.fromEntries(others),
      Node: [{ name: 'next', type: 'Node' }, ...many(fields - 1, { name: 'n', type: 'uint8[]' })],
    },
    primaryType: 'Node',
    message,
  }
}

const REQUESTS: readonly (readonly [bounded: string, request: (count: number) => readonly [string, ...unknown[]]])[] = [
  ['Slots of one eth_getProof', (count) => ['eth_getProof', ADDRESS, many(count, '0x0'), 'latest']],
  ['Slots of one eth_getStorageValues', (count) => ['eth_getStorageValues', { [ADDRESS]: many(count, '0x0') }]],
  ['Percentiles of one eth_feeHistory', (count) => ['eth_feeHistory', '0x1', 'latest', many(count, 50)]],
  ['Positions of topics', (count) => ['eth_getLogs', { topics: many(count, null) }]],
  ['Transactions of one page of ots_search', (count) => ['ots_searchTransactionsBefore', ADDRESS, 0, count] as const],
  ['Addresses in each list of trace_filter', (count) => ['trace_filter', { fromAddress: many(count, ADDRESS) }]],
  ['Calls of one trace_callMany', (count) => ['trace_callMany', many(count, [{ to: ADDRESS }, []])]],
  ['Bundles of one eth_callMany', (count) => ['eth_callMany', many(count, { transactions: [] }), {}]],
  ['Blob hashes of a call', (count) => ['eth_call', { to: ADDRESS, blobVersionedHashes: many(count, HASH) }]],
  [
    'Timeout that a trace may name',
    (count) => ['debug_traceCall', { to: ADDRESS }, 'latest', { timeout: `${count}h` }],
  ],
  ['Blocks of one evm_mine_detailed', (count) => ['evm_mine_detailed', { blocks: count }]],
  [
    'Calls of one wallet_sendCalls',
    (count) => ['wallet_sendCalls', { version: '2.0.0', chainId: '0x1', calls: many(count, { to: ADDRESS }) }],
  ],
  [
    'Characters of the id of wallet_sendCalls',
    (count) => [
      'wallet_sendCalls',
      { version: '2.0.0', chainId: '0x1', id: 'a'.repeat(count), calls: [{ to: ADDRESS }] },
    ],
  ],
  ['Chain ids of one wallet_getCapabilities', (count) => ['wallet_getCapabilities', ADDRESS, many(count, '0x1')]],
  ['Types of typed data', (count) => ['eth_signTypedData_v4', ADDRESS, typedData({ types: count - 1 })]],
  ['Fields of a type', (count) => ['eth_signTypedData_v4', ADDRESS, typedData({ fields: count })]],
  [
    'Predicates of one base_sendRawTransactionValidity',
    (count) => [
      'base_sendRawTransactionValidity',
      '0x',
      { validity: many(count, { type: 'block_number', params: { op: '<', value: '0x9' } }) },
    ],
  ],
]

describe('a client that reaches a limit without a flag sees what the table says', () => {
  let server: ManualServer

  beforeAll(async () => {
    server = await startManualServer(
      { development: true },
      { network: { upgrade: 'denim', timestamp: 1_767_225_600n }, development: { mining: { kind: 'flashblocks' } } },
    )
  })
  afterAll(() => server.stop())

  test.each(REQUESTS)('%s', async (bounded, request) => {
    const { value, code } = limitOf(bounded)

    const [atLimit, beyond] = [await server.request(...request(value)), await server.request(...request(value + 1))]

    expect(beyond.error).toMatchObject({ code })
    expect(atLimit.error?.message).not.toBe(beyond.error!.message)
    expect(atLimit.error?.message ?? '').not.toMatch(/want at most|exceed max|too many validity/)
  })

  test('a request for more blocks than one request mines is refused and mines none', async () => {
    const { value, code } = limitOf('Blocks that one request mines')

    const height = await server.result('eth_blockNumber')

    expect((await server.request('anvil_mine', value + 1)).error).toMatchObject({ code })
    expect(await server.result('eth_blockNumber')).toBe(height)
  })

  test('Levels of structs and arrays in typed data', async () => {
    const { value, code } = limitOf('Levels of structs')
    const [account] = await server.result<string[]>('eth_accounts')
    const sign = (depth: number) =>
      server.request('eth_signTypedData_v4', account, JSON.stringify(typedData({ depth })))

    expect(await sign(value + 1)).toMatchObject({ result: expect.any(String) })
    expect((await sign(value + 2)).error).toMatchObject({ code, message: expect.stringContaining('levels') })
  })

  test('Headers of an HTTP request, and bytes of its head', async () => {
    const status = async (headers: string) => {
      const socket = connect(Number(new URL(server.url).port), '127.0.0.1')
      socket.end(`GET /ready HTTP/1.1\r\nHost: 127.0.0.1\r\n${headers}\r\n`)
      const [answer] = (await once(socket, 'data')) as [Buffer]
      socket.destroy()
      return Number(answer.toString().split(' ')[1])
    }
    const headers = limitOf('Headers of an HTTP request')
    const bytes = limitOf('Bytes of the head of an HTTP request')

    expect(await status('a: b\r\n'.repeat(headers.value - 1))).not.toBe(headers.code)
    expect(await status('a: b\r\n'.repeat(headers.value))).toBe(headers.code)
    expect(await status(`a: ${'b'.repeat(bytes.value)}\r\n`)).toBe(bytes.code)
  })

  test('Bytes of a message of a feed subscriber', async () => {
    const { value, code } = limitOf('Bytes of a message of a feed subscriber')
    const client = await FeedClient.connect(`${server.ws}/feed`)

    client.socket.send('a'.repeat(value))
    client.socket.send('a'.repeat(value + 1))

    expect(await client.closed).toBe(code)
  })
})
