import { type Hex, keccak256 } from 'viem'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { DEVELOPMENT_ACCOUNTS } from '../../src/chain/accounts/development-accounts.ts'
import { GENESIS_TIMESTAMP } from '../../src/chain/genesis/networks.ts'
import { DEMO_STOCKS } from '../../src/chain/predeploys/demo-stocks.ts'
import { STOCK_FACTORY_ADDRESS } from '../../src/chain/predeploys/stock-contracts.ts'
import { createAddress } from '../../src/chain/transaction/contract-address.ts'
import { bytesToHex, hexToBytes } from '../../src/primitives/hex.ts'
import { decodeAddresses, stocksFrom } from '../../src/rest/tokenized-stocks/abi.ts'
import { parseRegistry } from '../../src/rest/tokenized-stocks/parse-registry.ts'
import { EMPTY_REGISTRY, type Registry } from '../../src/rest/tokenized-stocks/registry.ts'
import { initCode } from '../support/contracts.ts'
import { type ManualServer, startManualServer } from '../support/manual-server.ts'

const OWNER = DEVELOPMENT_ACCOUNTS[0]!.address
const RUNTIMES = {
  /**
   * Returns (8, 18742000000, 0, time, …) for every call: a price of 187.42 with 8 decimals at 1,767,225,600
   * (2026-01-01), whose first word also serves as the decimals.
   */
  feed: '60085f5264045d1c3980602052636955b90060605260a05ff3',
  /** As above with the price -1. */
  feedBelowZero: '60085f525f19602052636955b90060605260a05ff3',
  /** As above with the time 0: its round is incomplete. */
  feedWithoutTime: '60085f5264045d1c398060205260a05ff3',
  /** Reverts in `multiplier()`, returns 5 for all other calls. */
  onlyUiMultiplier: '5f3560e01c631b3ed7221460165760055f5260205ff35b5f5ffd',
  /** Returns 6 for `totalSupply()` and `decimals()`, reverts for all other calls. */
  plainToken: '5f3560e01c806318160ddd149063313ce5671417601a575f5ffd5b60065f5260205ff3',
  /** Returns 0 for every call, as a fallback function may. */
  zeroToEverything: '60205ff3',
}
const NAMES = Object.keys(RUNTIMES) as (keyof typeof RUNTIMES)[]
/** Addresses in the order of deployment. */
const addressOf = (name: keyof typeof RUNTIMES) => createAddress(OWNER, BigInt(NAMES.indexOf(name)))
const AT = {
  feed: addressOf('feed'),
  feedBelowZero: addressOf('feedBelowZero'),
  feedWithoutTime: addressOf('feedWithoutTime'),
  onlyUiMultiplier: addressOf('onlyUiMultiplier'),
  plainToken: addressOf('plainToken'),
  zeroToEverything: addressOf('zeroToEverything'),
}

let server: ManualServer
let registry: Registry = EMPTY_REGISTRY

beforeAll(async () => {
  server = await startManualServer({}, {}, {}, { registry: () => registry })
  for (const [index, runtime] of Object.values(RUNTIMES).entries()) {
    await server.send({ nonce: BigInt(index), to: null, value: 0n, data: initCode(runtime), gasLimit: 200_000n })
  }
  await server.nextBlock()
})
afterAll(() => server.stop())

function register(...tokens: readonly object[]): void {
  const entries = tokens.map((token) => ({ symbol: 'REGd', name: 'Registered plc', isin: 'US0378331005', ...token }))
  registry = parseRegistry('test', JSON.stringify({ discover: false, tokens: entries }))
}

async function list(query = ''): Promise<readonly Record<string, unknown>[]> {
  const response = await fetch(`${server.url}/v1/tokenized-stocks${query}`)
  expect(response.status).toBe(200)
  return ((await response.json()) as { readonly tokens: readonly Record<string, unknown>[] }).tokens
}

test('lists the stocks of the factory with the values of their contracts when there is no registry', async () => {
  registry = EMPTY_REGISTRY
  const tokens = await list('?exact=true')
  expect(tokens.map(({ contract_address }) => contract_address)).toEqual(DEMO_STOCKS.map(({ address }) => address))
  for (const [index, { symbol, name, isin, decimals, pausedFeatures = [] }] of DEMO_STOCKS.entries()) {
    expect(tokens[index]).toMatchObject({ symbol, name, isin, decimals, paused_features: pausedFeatures, icon_url: '' })
  }
  expect(tokens.map(({ total_supply_exact }) => total_supply_exact)).toEqual([
    '1000000',
    '2500000.125',
    '400000',
    '750000',
    '1250000',
    '90000',
  ])
  expect(tokens.map(({ multiplier_exact }) => multiplier_exact)).toEqual(['1', '1', '2', '0.25', '1.0234', '1'])
})

test('lists registered tokens first and once, with the values of the registry', async () => {
  const [, second] = DEMO_STOCKS
  const { hash } = await server.result<{ hash: string }>('eth_getBlockByNumber', '0x0', false)
  const tokens = [{ contract_address: second!.address, icon_url: 'https://example.com/a.png' }]
  register(...tokens)
  registry = { ...registry, lists: 'registeredAndDiscovered' }
  const listed = await list()
  expect(listed).toHaveLength(DEMO_STOCKS.length)
  expect(listed[0]).toEqual({
    contract_address: second!.address,
    symbol: 'REGd',
    name: 'Registered plc',
    decimals: 6,
    icon_url: 'https://example.com/a.png',
    total_supply: 2_500_000.125,
    isin: 'US0378331005',
    multiplier: 1,
    paused_features: [],
    nav_price: 0,
    nav_price_updated_at: null,
    listed_at_block: 0,
    listed_at_block_hash: hash,
    listed_at: '2025-01-01T00:00:00Z',
  })
})

test('the price has the decimals and the time of its feed', async () => {
  register({ contract_address: AT.plainToken, nav_feed_address: AT.feed })
  const price = { nav_price: 187.42, nav_price_updated_at: '2026-01-01T00:00:00Z' }
  expect(await list()).toMatchObject([price])
  expect(await list('?exact=true')).toMatchObject([{ ...price, nav_price_exact: '187.42' }])
})

test('the demonstration stocks have the prices of their feeds', async () => {
  registry = EMPTY_REGISTRY
  const tokens = await list('?exact=true')
  const prices = ['187.42', '43.105', '91.27', '223.18', '56.64', '12.8825']
  expect(tokens.map(({ nav_price_exact }) => nav_price_exact)).toEqual(prices)
  expect(tokens.map(({ nav_price }) => nav_price)).toEqual(prices.map(Number))
  const genesisTime = new Date(Number(GENESIS_TIMESTAMP) * 1000).toISOString().replace('.000Z', 'Z')
  expect(new Set(tokens.map((token) => token.nav_price_updated_at))).toEqual(new Set([genesisTime]))
})

test.each([
  ['below zero', AT.feedBelowZero],
  ['of a round that is not complete', AT.feedWithoutTime],
  ['of what is no feed', AT.plainToken],
  ['of nobody', `0x${'99'.repeat(20)}`],
])('a price %s is none', async (_, nav_feed_address) => {
  register({ contract_address: AT.plainToken, nav_feed_address })
  expect(await list()).toMatchObject([{ nav_price: 0, nav_price_updated_at: null }])
})

test('the multiplier is that of the asset standard, otherwise of ERC-8056, otherwise 1', async () => {
  register(
    { contract_address: DEMO_STOCKS[2]!.address },
    { contract_address: AT.onlyUiMultiplier },
    { contract_address: AT.plainToken },
  )
  const tokens = await list('?exact=true')
  expect(tokens.map(({ multiplier_exact }) => multiplier_exact)).toEqual(['2', '0.000000000000000005', '1'])
  expect(tokens.map(({ paused_features }) => paused_features)).toEqual([[], [], []])
})

test('a token that returns 0 for every call has no adjustment, rather than zero shares', async () => {
  register({ contract_address: AT.zeroToEverything })
  expect((await list('?exact=true'))[0]).toMatchObject({
    decimals: 0,
    total_supply_exact: '0',
    multiplier_exact: '1',
  })
})

test('a registered token is listed from the block in which it exists, on its own chain', async () => {
  register(
    { contract_address: AT.plainToken },
    { contract_address: `0x${'99'.repeat(20)}` },
    { contract_address: AT.feed, chain_id: '1' },
    { contract_address: AT.onlyUiMultiplier, chain_id: '31337' },
  )
  const addresses = async (query: string) => (await list(query)).map(({ contract_address }) => contract_address)
  expect(await addresses('')).toEqual([AT.plainToken, AT.onlyUiMultiplier])
  expect(await addresses('?block=0x0')).toEqual([])
})

test('a changed registry is listed at once with another entity tag', async () => {
  register({ contract_address: AT.plainToken })
  const before = await fetch(`${server.url}/v1/tokenized-stocks`)
  register({ contract_address: AT.plainToken, symbol: 'OTHERd' })
  const headers = { 'if-none-match': before.headers.get('etag')! }
  const after = await fetch(`${server.url}/v1/tokenized-stocks`, { headers })
  expect(after.status).toBe(200)
  expect(await after.json()).toMatchObject({ tokens: [{ symbol: 'OTHERd' }] })
})

test('the list of chains names the factory', async () => {
  const response = await fetch(`${server.url}/v1/tokenized-stocks/chains`)
  expect(await response.json()).toEqual({
    chains: [
      {
        chain_id: '31337',
        chain: 'tickertape-test',
        policy_registry_address: `0x${'0'.repeat(40)}`,
        token_supply_manager_address: `0x${'0'.repeat(40)}`,
        token_factory_address: '0xb20f000000000000000000000000000000000000',
      },
    ],
  })
})

test("a full page of the factory's list fits into the gas of a read", async () => {
  const word = (value: bigint) => `0x${value.toString(16).padStart(64, '0')}`
  // The list is the first variable: its length in slot 0, its items from keccak-256 of that slot on.
  const first = BigInt(keccak256(word(0n) as Hex))
  const items = Array.from({ length: 250 }, (_, index) => [word(first + BigInt(index)), word(2n ** 160n - 1n)])
  const stateDiff = Object.fromEntries([[word(0n), word(250n)], ...items])
  const output = await server.result<Hex>(
    'eth_call',
    { to: STOCK_FACTORY_ADDRESS, data: bytesToHex(stocksFrom(0, 250)), gas: '0xf4240' },
    'latest',
    { [STOCK_FACTORY_ADDRESS]: { stateDiff } },
  )
  expect(decodeAddresses(hexToBytes(output), 250)).toEqual(Array(250).fill(`0x${'f'.repeat(40)}`))
})
