import { encodeFunctionData, parseAbi } from 'viem'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { DEVELOPMENT_ACCOUNTS } from '../../src/chain/accounts/development-accounts.ts'
import { DEMO_STOCKS } from '../../src/chain/predeploys/demo-stocks.ts'
import { createAddress } from '../../src/chain/transaction/contract-address.ts'
import { type Address, hexToBytes, toAddress } from '../../src/primitives/hex.ts'
import { parseRegistry } from '../../src/rest/tokenized-stocks/parse-registry.ts'
import { EMPTY_REGISTRY, type Registry } from '../../src/rest/tokenized-stocks/registry.ts'
import { initCode } from '../support/contracts.ts'
import { type ManualServer, startManualServer } from '../support/manual-server.ts'

const [HLCYN, MRDTL, QLBKF, , VIREO, FJORD] = DEMO_STOCKS
const STOCK = parseAbi([
  'function updateSymbol(string)',
  'function updateUIMultiplier(uint256, uint256)',
  'function mint(address, uint256)',
])
const FEED = parseAbi(['function updateAnswer(int256)'])

const OWNER = DEVELOPMENT_ACCOUNTS[0]!.address
const RUNTIMES = {
  /** Reverts in `pausedFeatures()`, returns 5 for all other calls. */
  refusesPauses: '5f3560e01c63de9997e31460165760055f5260205ff35b5f5ffd',
  /** Returns 6 for `totalSupply()` and `decimals()`, reverts for all other calls. */
  plainToken: '5f3560e01c806318160ddd149063313ce5671417601a575f5ffd5b60065f5260205ff3',
}

let server: ManualServer
let registry: Registry = EMPTY_REGISTRY
let nonce = 0n

beforeAll(async () => {
  server = await startManualServer({}, {}, {}, { registry: () => registry })
  await server.nextBlock()
})
afterAll(() => server.stop())
beforeEach(() => {
  registry = EMPTY_REGISTRY
})

interface Answer {
  readonly status: number
  readonly headers: Headers
  // biome-ignore lint/suspicious/noExplicitAny: a body is whatever the test expects.
  readonly body: any
}

async function get(path: string): Promise<Answer> {
  const response = await fetch(`${server.url}/v1/tokenized-stocks${path}`)
  return { status: response.status, headers: response.headers, body: await response.json() }
}

/** Sends a transaction of account 0, which owns the stocks. */
async function sendTo(to: string, data: string): Promise<void> {
  await server.send({ nonce, to: toAddress(to), value: 0n, data: hexToBytes(data), gasLimit: 300_000n })
  nonce += 1n
}

/** The address of a new contract. */
async function deploy(runtime: string): Promise<Address> {
  const address = createAddress(OWNER, nonce)
  await server.send({ nonce, to: null, value: 0n, data: initCode(runtime), gasLimit: 200_000n })
  nonce += 1n
  await server.nextBlock()
  return address
}

describe('one stock', () => {
  test('has the same record by address, symbol and ISIN, which extends that of the list', async () => {
    const [byAddress, bySymbol, byIsin, { body: list }] = await Promise.all([
      get(`/${VIREO!.address.toUpperCase().replace('0X', '0x')}`),
      get('/VIREOd'),
      get(`/${VIREO!.isin}`),
      get(''),
    ])

    expect(bySymbol.body).toEqual(byAddress.body)
    expect(byIsin.body).toEqual(byAddress.body)
    expect(bySymbol.body).toEqual({
      ...list.tokens[4],
      supply_cap: 1_500_000,
      currency: 'USD',
      nav_price_is_stale: expect.any(Boolean),
      // Thursday 2026-01-01, 0:00 UTC, is 19:00 in New York.
      market_session: 'post-market',
    })
    expect(bySymbol.headers.get('x-block-number')).toBe('1')
  })

  test('has a scheduled multiplier until its time', async () => {
    const { body } = await get('/FJORDd?exact=true')

    expect(body.scheduled_multiplier).toEqual({
      multiplier: 3,
      multiplier_exact: '3',
      effective_at: '2035-01-01T00:00:00Z',
    })
    expect((await get('/QLBKFd')).body).not.toHaveProperty('scheduled_multiplier')
    expect(body.contract_address).toBe(FJORD!.address)
  })

  test('shows a pre-confirmed change at pending before the block is sealed', async () => {
    await sendTo(
      HLCYN!.address,
      encodeFunctionData({ abi: STOCK, functionName: 'mint', args: [HLCYN!.address as never, 10n ** 18n] }),
    )
    await server.nextFlashblock()

    expect((await get('/HLCYNd?block=pending')).body.total_supply).toBe(1_000_001)
    expect((await get('/HLCYNd')).body.total_supply).toBe(1_000_000)
    await server.nextBlock()
    expect((await get('/HLCYNd')).body.total_supply).toBe(1_000_001)
  })

  test('matches symbols exactly', async () => {
    for (const name of ['vireod', 'VIREO', 'VIREOd%20', `0x${'12'.repeat(20)}`, 'total-supply']) {
      const { status, body } = await get(`/${name}`)
      expect([status, body.code, body.details]).toEqual([404, 5, []])
    }
    expect((await get('/chains')).body).toHaveProperty('chains')
  })

  test('answers 400 with both addresses when two tokens have its symbol', async () => {
    const isin = 'US0378331005'
    const tokens = [HLCYN, MRDTL].map((stock) => ({
      contract_address: stock!.address,
      symbol: 'TWINd',
      name: 'Twin',
      isin,
    }))
    registry = parseRegistry('test', JSON.stringify({ discover: false, tokens }))

    for (const name of ['TWINd', isin]) {
      const { status, body } = await get(`/${name}`)
      expect([status, body.code]).toEqual([400, 3])
      expect(body.message).toContain(`${HLCYN!.address}, ${MRDTL!.address}`)
    }
    expect((await get(`/${HLCYN!.address}`)).body.symbol).toBe('TWINd')
  })

  test('is a stock of the factory by its symbol even where the registry lists others only', async () => {
    registry = parseRegistry('test', JSON.stringify({ discover: false, tokens: [] }))

    expect((await get('/HLCYNd')).status).toBe(404)
    expect((await get(`/${HLCYN!.address}`)).body.symbol).toBe('HLCYNd')
  })

  test('names the call that a registered contract refuses', async () => {
    const address = await deploy(RUNTIMES.refusesPauses)
    const entry = { contract_address: address, symbol: 'REFUSEd', name: 'Refusing', isin: 'US0378331005' }
    registry = parseRegistry('test', JSON.stringify({ tokens: [entry] }))

    for (const name of ['REFUSEd', address]) {
      const { status, body } = await get(`/${name}`)
      expect([status, body.code]).toEqual([400, 9])
      expect(body.message).toContain(`pausedFeatures() of ${address} failed`)
    }
  })

  test('lacks cap, schedule, currency and price where its contract has none', async () => {
    const address = await deploy(RUNTIMES.plainToken)

    expect((await get(`/${address}`)).body).toEqual({
      contract_address: address,
      symbol: '',
      name: '',
      decimals: 6,
      icon_url: '',
      total_supply: 0.000006,
      isin: '',
      multiplier: 1,
      paused_features: [],
      nav_price: 0,
      nav_price_updated_at: null,
      listed_at_block: null,
      listed_at_block_hash: null,
      listed_at: null,
    })
  })

  test('has a stale price once the block is later than the heartbeat of its feed', async () => {
    const feed = MRDTL!.priceFeed.address
    await sendTo(feed, encodeFunctionData({ abi: FEED, functionName: 'updateAnswer', args: [5_000_000_000n] }))
    await server.nextBlock()
    const fresh = (await get('/MRDTLd')).body
    const entry = {
      contract_address: MRDTL!.address,
      symbol: 'M',
      name: 'M',
      isin: MRDTL!.isin,
      nav_feed_address: feed,
    }
    registry = parseRegistry('test', JSON.stringify({ tokens: [{ ...entry, nav_heartbeat_seconds: 1 }] }))
    await server.nextBlock()

    expect(fresh).toMatchObject({ nav_price: 50, nav_price_is_stale: false })
    expect((await get('/M')).body).toMatchObject({ nav_price: 50, nav_price_is_stale: true })
  })
})

describe('the list', () => {
  test('filters by symbol and ISIN', async () => {
    const symbols = async (query: string) =>
      (await get(query)).body.tokens.map(({ symbol }: { symbol: string }) => symbol)

    expect(await symbols('?symbol=QLBKFd')).toEqual(['QLBKFd'])
    expect(await symbols(`?isin=${QLBKF!.isin}`)).toEqual(['QLBKFd'])
    expect(await symbols(`?isin=${QLBKF!.isin}&symbol=HLCYNd`)).toEqual([])
  })

  test('has pages that stay at the block of the first one', async () => {
    const whole = (await get('')).body.tokens
    const first = await get('?page_size=4')
    await sendTo(
      VIREO!.address,
      encodeFunctionData({ abi: STOCK, functionName: 'mint', args: [HLCYN!.address as never, 10n ** 8n] }),
    )
    await server.nextBlock()

    const second = await get(`?page_size=4&page_token=${first.body.next_page_token}`)

    expect([...first.body.tokens, ...second.body.tokens]).toEqual(whole)
    expect(second.headers.get('x-block-hash')).toBe(first.headers.get('x-block-hash'))
    expect(second.body).not.toHaveProperty('next_page_token')
    expect((await get('?block=latest')).body.tokens[4].total_supply).toBe(1_250_001)
  })

  test('refuses a page token of other filters, and one of an unknown block', async () => {
    const { next_page_token: token } = (await get('?page_size=1')).body

    expect(await get(`?page_size=1&page_token=${token}&symbol=HLCYNd`)).toMatchObject({
      status: 400,
      body: { code: 3 },
    })
    const unknown = token.replace(/0x[0-9a-f]{64}/, `0x${'ab'.repeat(32)}`)
    expect(await get(`?page_token=${unknown}`)).toMatchObject({ status: 404, body: { code: 5 } })
    for (const query of ['page_size=-1', 'page_size=x', 'page_token=1'])
      expect((await get(`?${query}`)).status).toBe(400)
  })

  test('reads at a block number in decimal as in hex', async () => {
    const [decimal, hex] = await Promise.all([get('?block=1'), get('?block=0x1')])

    expect(decimal.body).toEqual(hex.body)
    expect(decimal.headers.get('x-block-number')).toBe('1')
    expect((await get('?block=01')).status).toBe(400)
    expect((await get('?block=99999999999999999999')).status).toBe(404)
  })
})
