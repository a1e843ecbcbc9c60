import { encodeFunctionData, parseAbi } from 'viem'
import { afterAll, afterEach, describe, expect, test } from 'vitest'
import { DEVELOPMENT_ACCOUNTS } from '../../src/chain/accounts/development-accounts.ts'
import { DEMO_STOCKS } from '../../src/chain/predeploys/demo-stocks.ts'
import { FLASHBLOCKS } from '../../src/node/development/mining-mode.ts'
import { hexToBytes, toAddress } from '../../src/primitives/hex.ts'
import { ChainDirectories } from '../support/chain-directory.ts'
import { type ManualServer, startManualServer } from '../support/manual-server.ts'

const [HLCYN, , QLBKF] = DEMO_STOCKS
const FJORD = DEMO_STOCKS.find(({ symbol }) => symbol === 'FJORDd')!
const OWNER = DEVELOPMENT_ACCOUNTS[0]!.address as `0x${string}`
const ABI = parseAbi([
  'function mint(address, uint256)',
  'function pause(uint8[])',
  'function unpause(uint8[])',
  'function updateMultiplier(uint256)',
  'function updateUIMultiplier(uint256, uint256)',
  'function cancelUIMultiplierUpdate()',
  'function announce(bytes[], string, string, string)',
  'function updateAnswer(int256)',
])
const ONE = 10n ** 18n

let server: ManualServer
let nonce = 0n
const directories = new ChainDirectories()
afterAll(() => directories.remove())
afterEach(() => server.stop())

async function start(options: Parameters<typeof startManualServer>[1] = {}): Promise<void> {
  nonce = 0n
  server = await startManualServer({ development: true }, { development: { mining: FLASHBLOCKS }, ...options })
  await server.nextBlock()
}

interface Answer {
  readonly status: number
  // biome-ignore lint/suspicious/noExplicitAny: a body is whatever the test expects.
  readonly body: any
}

async function get(path: string): Promise<Answer> {
  const response = await fetch(`${server.url}/v1/tokenized-stocks${path}`)
  return { status: response.status, body: await response.json() }
}

type Call = Parameters<typeof encodeFunctionData<typeof ABI>>[0]

async function call(to: string, functionName: Call['functionName'], args: readonly unknown[]): Promise<void> {
  const data = hexToBytes(encodeFunctionData({ abi: ABI, functionName, args } as Call))
  await server.send({ nonce, to: toAddress(to), value: 0n, data, gasLimit: 500_000n })
  nonce += 1n
}

async function callInBlock(...[to, functionName, args]: Parameters<typeof call>): Promise<void> {
  await call(to, functionName, args)
  await server.nextBlock()
}

async function blockTime(block: string): Promise<bigint> {
  const { timestamp } = await server.result<{ timestamp: string }>('eth_getBlockByNumber', block, false)
  return BigInt(timestamp)
}

/** An RFC 3339 time as a query takes it. */
function timeText(seconds: bigint): string {
  return new Date(Number(seconds) * 1_000).toISOString().replace('.000', '')
}

/** All pages of a list. */
async function pages(path: string, member: string): Promise<readonly unknown[]> {
  const entries: unknown[] = []
  let page = await get(path)
  for (;;) {
    expect(page.status).toBe(200)
    entries.push(...page.body[member])
    if (page.body.next_page_token === undefined) return entries
    page = await get(`${path}&page_token=${page.body.next_page_token}`)
  }
}

const actionsOf = async (query = '') => (await get(`/QLBKFd/corporate-actions${query}`)).body.corporate_actions

describe('the list of corporate actions', () => {
  test('lists splits with their status, announcements and pauses, each with its effective time', async () => {
    await start()
    const now = await blockTime('latest')
    await callInBlock(QLBKF!.address, 'updateUIMultiplier', [4n * ONE, now + 1_000n])
    await callInBlock(QLBKF!.address, 'cancelUIMultiplierUpdate', [])
    await callInBlock(QLBKF!.address, 'updateMultiplier', [3n * ONE])
    await callInBlock(QLBKF!.address, 'announce', [[], 'split-2', 'Two for one', 'https://example.com'])
    await callInBlock(QLBKF!.address, 'pause', [[1, 2]])
    await callInBlock(QLBKF!.address, 'unpause', [[1]])
    const due = (await blockTime('latest')) + 6n
    await callInBlock(QLBKF!.address, 'updateUIMultiplier', [6n * ONE, due])

    const actions = await actionsOf()

    expect(actions).toMatchObject([
      { kind: 'multiplier', status: 'cancelled', multiplier: 4, previous_multiplier: 2, block_number: 2 },
      { kind: 'multiplier', status: 'effective', multiplier: 3, previous_multiplier_exact: '2', block_number: 4 },
      { kind: 'announced', announcement: 'split-2', description: 'Two for one', uri: 'https://example.com' },
      { kind: 'announcement_ended', announcement: 'split-2' },
      { kind: 'paused', features: [1, 2] },
      { kind: 'unpaused', features: [1] },
      { kind: 'multiplier', status: 'scheduled', multiplier: 6, previous_multiplier: 3, block_number: 8 },
    ])
    expect(actions.at(-1).effective_at).toBe(timeText(due))
    expect(actions[4].effective_at).toBe(actions[4].timestamp)
    while ((await blockTime('latest')) < due) await server.nextBlock()
    expect((await actionsOf()).at(-1)).toMatchObject({ status: 'effective' })
    expect((await actionsOf('?block=8')).at(-1)).toMatchObject({ status: 'scheduled' })
    expect(await pages('/QLBKFd/corporate-actions?page_size=2', 'corporate_actions')).toEqual(await actionsOf())
  })

  test('begins with the schedule of a stock of block 0, which has no event', async () => {
    await start()

    const { body } = await get('/FJORDd/corporate-actions')

    expect(body.corporate_actions).toEqual([
      {
        kind: 'multiplier',
        effective_at: '2035-01-01T00:00:00Z',
        status: 'scheduled',
        multiplier: 3,
        multiplier_exact: '3',
        block_number: null,
        block_hash: null,
        timestamp: null,
        transaction_hash: null,
        log_index: null,
      },
    ])
    expect((await get('/HLCYNd/corporate-actions')).body.corporate_actions).toEqual([])
  })

  test('has a pre-confirmed action at pending, and loses an action with its block', async () => {
    await start()
    await call(QLBKF!.address, 'pause', [[1]])
    await server.nextFlashblock()

    expect(await actionsOf('?block=pending')).toMatchObject([{ kind: 'paused', block_number: 2 }])
    expect(await actionsOf()).toEqual([])
    await server.nextBlock()
    expect(await actionsOf()).toHaveLength(1)
    await server.result('debug_setHead', '0x1')
    expect(await actionsOf()).toEqual([])
  })

  test('is restricted by `from` and `to` to blocks or times', async () => {
    await start()
    for (const feature of [1, 2, 3]) await callInBlock(QLBKF!.address, 'pause', [[feature]])
    const all = await actionsOf()
    const time = all[1].timestamp

    expect(await actionsOf('?from=3')).toEqual(all.slice(1))
    expect(await actionsOf('?to=0x3')).toEqual(all.slice(0, 2))
    expect(await actionsOf(`?from=${time}`)).toEqual(all.slice(1))
    expect(await actionsOf(`?from=${time}&to=${time}`)).toEqual([all[1]])
    expect(await get('/QLBKFd/corporate-actions?to=1970-01-01')).toMatchObject({
      status: 200,
      body: { corporate_actions: [] },
    })
  })

  test('counts a schedule without an event in page_size', async () => {
    await start()
    for (const feature of [1, 2]) await callInBlock(FJORD.address, 'pause', [[feature]])

    const all = (await get('/FJORDd/corporate-actions')).body.corporate_actions
    const first = (await get('/FJORDd/corporate-actions?page_size=1')).body.corporate_actions

    expect(all).toMatchObject([
      { kind: 'multiplier', block_number: null },
      { kind: 'paused', block_number: 2 },
      { kind: 'paused', block_number: 3 },
    ])
    expect(first).toEqual(all.slice(0, 1))
    for (const size of [1, 2, 3]) {
      expect(await pages(`/FJORDd/corporate-actions?page_size=${size}`, 'corporate_actions')).toEqual(all)
    }
    expect((await get('/FJORDd/corporate-actions?to=2')).body.corporate_actions).toEqual(all.slice(0, 2))
    expect((await get('/FJORDd/corporate-actions?from=1')).body.corporate_actions).toEqual(all.slice(1))
  })

  test('has the cancellation of a schedule without an event on any page', async () => {
    await start()
    for (const feature of [1, 2]) await callInBlock(FJORD.address, 'pause', [[feature]])
    await callInBlock(FJORD.address, 'cancelUIMultiplierUpdate', [])

    const all = (await get('/FJORDd/corporate-actions')).body.corporate_actions

    expect(all).toMatchObject([{ kind: 'paused' }, { kind: 'paused' }, { status: 'cancelled', block_number: 4 }])
    for (const size of [1, 2]) {
      expect(await pages(`/FJORDd/corporate-actions?page_size=${size}`, 'corporate_actions')).toEqual(all)
    }
  })

  test('has one page at the open block', async () => {
    await start()
    for (const feature of [1, 2]) await callInBlock(QLBKF!.address, 'pause', [[feature]])
    await call(QLBKF!.address, 'pause', [[3]])
    await server.nextFlashblock()

    const { status, body } = await get('/QLBKFd/corporate-actions?block=pending&page_size=2')

    expect([status, body.message]).toEqual([400, expect.stringMatching(/^query parameter block: .*`latest`/)])
    expect(await actionsOf('?block=pending&page_size=3')).toHaveLength(3)
    expect(await actionsOf('?block=pending&page_size=2&from=3')).toHaveLength(2)
  })
})

describe('the history of a stock', () => {
  test('has the supply after each block, at pending too, and follows a reorganisation', async () => {
    await start()
    for (const units of [1n, 2n]) await callInBlock(HLCYN!.address, 'mint', [OWNER, units * ONE])
    await call(HLCYN!.address, 'mint', [OWNER, ONE / 2n])
    await server.nextFlashblock()
    const values = async (query: string) =>
      (await get(`/HLCYNd/history${query}`)).body.points.map((point: { value_exact: string }) => point.value_exact)

    expect(await values('')).toEqual(['1000000', '1000000', '1000001', '1000003'])
    expect(await values('?block=pending')).toEqual(['1000000', '1000000', '1000001', '1000003', '1000003.5'])
    expect(await values('?every=2&from=1')).toEqual(['1000000', '1000003'])
    expect(await values('?block=2')).toEqual(['1000000', '1000000', '1000001'])
    await server.result('debug_setHead', '0x2')
    expect(await values('')).toEqual(['1000000', '1000000', '1000001'])
  })

  test('has the value of the newest block at or before each time', async () => {
    await start()
    for (const units of [1n, 2n, 3n]) await callInBlock(HLCYN!.address, 'mint', [OWNER, units * ONE])
    const [first, last] = [await blockTime('0x1'), await blockTime('latest')]

    const { body } = await get(`/HLCYNd/history?from=${timeText(first)}&to=${timeText(last)}&every=1s`)

    const expected = []
    for (let time = first; time <= last; time += 1n) {
      let number = 4
      while ((await blockTime(`0x${number.toString(16)}`)) > time) number -= 1
      expected.push(number)
    }
    expect(expected.length).toBeGreaterThan(4)
    expect(body.points.map((point: { block_number: number }) => point.block_number)).toEqual(expected)
    expect(await pages(`/HLCYNd/history?from=${timeText(first)}&every=1s&page_size=2`, 'points')).toEqual(body.points)
  })

  test.each(['', 'from=2024-01-01&', 'from=2025-03-01T12:34:56Z&', 'from=0&'])(
    'has one sample of block 0 before block 1, at the distance of the others, with "%s"',
    async (from) => {
      await start()
      const [genesis, first] = [await blockTime('0x0'), await blockTime('0x1')]
      expect(first - genesis).toBeGreaterThan(365n * 86_400n)
      await server.result('evm_increaseTime', 7_200)
      await callInBlock(HLCYN!.address, 'mint', [OWNER, ONE])
      const last = await blockTime('latest')
      const text = /from=(\d{4}.*)&/.exec(from)?.[1]
      const aligned = text === undefined ? genesis : BigInt(new Date(text).getTime() / 1_000)

      const points = (await get(`/HLCYNd/history?${from}every=1h`)).body.points

      const begin = first - ((first - aligned) % 3_600n)
      const times = []
      for (let time = begin; time <= last; time += 3_600n) times.push(time)
      expect(points.map((point: { sampled_at: string }) => point.sampled_at)).toEqual(times.map(timeText))
      const numberAt = (time: bigint) => (time >= last ? 2 : time >= first ? 1 : 0)
      expect(points.map((point: { block_number: number }) => point.block_number)).toEqual(times.map(numberAt))
      expect(await pages(`/HLCYNd/history?${from}every=1h&page_size=1`, 'points')).toEqual(points)
      const { points: early } = (await get(`/HLCYNd/history?${from}to=2025-06-01&every=1h`)).body
      expect(early).toMatchObject([{ block_number: 0, timestamp: timeText(genesis) }])
    },
  )

  test('has the time of a sample only where `every` is a time', async () => {
    await start()

    const [sample] = (await get('/HLCYNd/history?from=1&every=1s')).body.points
    const [point] = (await get('/HLCYNd/history?from=1&every=1')).body.points

    expect(sample).toEqual({ sampled_at: point.timestamp, ...point })
    expect(point).not.toHaveProperty('sampled_at')
  })

  test('is empty after the block of the response, and begins with block 0 before it', async () => {
    await start()

    expect(await get('/HLCYNd/history?from=2100-01-01')).toMatchObject({ status: 200, body: { points: [] } })
    expect(await get('/HLCYNd/history?from=2024-01-01')).toEqual(await get('/HLCYNd/history'))
    expect(await get('/FJORDd/corporate-actions?from=2024-01-01')).toEqual(await get('/FJORDd/corporate-actions'))
  })

  test('has multipliers and prices', async () => {
    await start()
    await callInBlock(QLBKF!.address, 'updateMultiplier', [4n * ONE])
    await callInBlock(QLBKF!.priceFeed.address, 'updateAnswer', [100_00000000n])

    const multipliers = (await get('/QLBKFd/history?field=multiplier&from=1')).body
    const prices = (await get('/QLBKFd/history?field=price&from=2')).body

    expect(multipliers).toMatchObject({
      field: 'multiplier',
      points: [{ value: 2 }, { value: 4 }, { value_exact: '4' }],
    })
    expect(prices.points).toMatchObject([
      { value: 91.27, nav_price_updated_at: '2025-01-01T00:00:00Z' },
      { value: 100, block_number: 3 },
    ])
    expect(prices.points[1].nav_price_updated_at).toBe(prices.points[1].timestamp)
  })

  test('names the first block whose state is kept', async () => {
    await start({ history: 2, directory: directories.next() })
    for (let count = 0; count < 8; count++) await server.nextBlock()

    const { status, body } = await get('/HLCYNd/history?from=0')

    expect([status, body.code]).toEqual([404, 5])
    const first = Number(/begins with block (\d+)/.exec(body.message)![1])
    expect(first).toBeGreaterThan(0)
    const kept = (await get('/HLCYNd/history')).body.points
    expect(kept[0].block_number).toBe(first)
    expect((await get(`/HLCYNd/history?from=${first}`)).body.points).toEqual(kept)
    expect((await get(`/HLCYNd?block=${first - 1}`)).body.message).toContain(`the first block is ${first}`)
    expect((await get('/HLCYNd/history?from=2000-01-01')).status).toBe(404)
  })

  test.each(['1', '1s'])(
    'has every point on its pages when states are pruned meanwhile, with every=%s',
    async (every) => {
      await start({ history: 10, directory: directories.next() })
      for (let count = 0; count < 20; count++) await server.nextBlock()
      const path = `/HLCYNd/history?every=${every}`
      const all = (await get(path)).body.points
      const { points, next_page_token: token } = (await get(`${path}&page_size=6`)).body

      await server.nextBlock()

      expect((await get(path)).body.points[0]).not.toEqual(all[0])
      expect([...points, ...(await get(`${path}&page_token=${token}`)).body.points]).toEqual(all)
      for (let count = 0; count < 9; count++) await server.nextBlock()
      const { status, body } = await get(`${path}&page_token=${token}`)
      expect([status, body.message]).toEqual([404, expect.stringMatching(/^the history begins with block \d+/)])
    },
  )

  test('is empty before block 0, and names the first kept block to a range before it', async () => {
    await start({ history: 2, directory: directories.next() })
    for (const every of ['1', '1h']) {
      const query = `/HLCYNd/history?to=1970-01-01&every=${every}`
      expect([every, await get(query)]).toMatchObject([every, { status: 200, body: { points: [] } }])
    }

    for (let count = 0; count < 8; count++) await server.nextBlock()

    for (const to of ['1970-01-01', '0']) {
      const { status, body } = await get(`/HLCYNd/history?to=${to}`)
      expect([status, body.message]).toEqual([404, expect.stringMatching(/use that block or a later one as `to`$/)])
      const [first] = /\d+/.exec(body.message)!
      expect((await get(`/HLCYNd/history?to=${first}`)).body.points).toHaveLength(1)
    }
  })

  test('has one page at the open block', async () => {
    await start()

    const { status, body } = await get('/HLCYNd/history?block=pending&page_size=1')

    expect([status, body.message]).toEqual([400, expect.stringMatching(/^query parameter block: .*`latest`/)])
    expect((await get('/HLCYNd/history?block=pending&page_size=3')).body.points).toHaveLength(3)
    expect((await get('/HLCYNd/history?block=pending&page_size=1&from=2')).body.points).toHaveLength(1)
  })

  test('refuses reversed ranges, steps below one and malformed parameters with 400', async () => {
    await start()
    const queries = [
      ...['from=2&to=1', 'from=3', 'from=2026-01-02&to=2026-01-01', 'from=2026-02-30', 'to=yesterday'],
      ...['every=0', 'every=0s', 'every=-1', 'every=1.5', 'field=volume', 'page_token=5', 'page_size=-1'],
    ]

    for (const query of queries) {
      const { status, body } = await get(`/HLCYNd/history?${query}`)
      expect([query, status, body.code]).toEqual([query, 400, 3])
      expect(body.message).toMatch(/^query parameter (from|to|every|field|page_token|page_size): /)
    }
  })

  test('refuses the page token of another request, and one whose block is gone', async () => {
    await start()
    await server.nextBlock()
    const { next_page_token: token } = (await get('/HLCYNd/history?page_size=1')).body

    expect((await get(`/QLBKFd/history?page_token=${token}`)).body.message).toMatch(/is of another request/)
    await server.nextBlock()
    expect((await get(`/HLCYNd/history?page_token=${token}`)).body.points).toHaveLength(2)
    await server.result('debug_setHead', '0x1')
    expect((await get(`/HLCYNd/history?page_token=${token}`)).status).toBe(404)
  })
})
