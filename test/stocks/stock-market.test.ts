import { type Abi, decodeErrorResult, decodeFunctionResult, encodeFunctionData, type Hex } from 'viem'
import { afterEach, describe, expect, test } from 'vitest'
import {
  DEMO_STOCKS,
  type DemoStock,
  NATIVE_DEMO_STOCKS,
  ORACLE_REGISTRY_ADDRESS,
  STOCK_MARKET_ADDRESS,
} from '../../src/chain/predeploys/demo-stocks.ts'
import oracleRegistry from '../../src/chain/predeploys/oracle-registry.json' with { type: 'json' }
import priceFeed from '../../src/chain/predeploys/price-feed.json' with { type: 'json' }
import stockMarket from '../../src/chain/predeploys/stock-market.json' with { type: 'json' }
import { bytesToHex } from '../../src/primitives/hex.ts'
import { ADMIN, ALICE, BOB, idOf, StockChain, type StockUpgrade } from '../support/stock-chain.ts'

const REGISTRY = { address: ORACLE_REGISTRY_ADDRESS as Hex, abi: oracleRegistry.abi as Abi }
const MARKET = { address: STOCK_MARKET_ADDRESS as Hex, abi: stockMarket.abi as Abi }
const feedOf = ({ priceFeed: { address } }: DemoStock) => ({ address: address as Hex, abi: priceFeed.abi as Abi })
const ONE = 10n ** 18n
const SESSION = { regular: 2, overnight: 4, closed: 5 }

let chain: StockChain
afterEach(() => chain.close())

type Contract = typeof REGISTRY

/** The result of a call; of a refused one the name of its error and the arguments. */
async function call(from: Hex, { address, abi }: Contract, functionName: string, args: readonly unknown[] = []) {
  const data = encodeFunctionData({ abi, functionName, args })
  const { status, output } = await chain.raw(from, data, { to: address })
  if (status === 'success') return decodeFunctionResult({ abi, functionName, data: bytesToHex(output) })
  const { errorName, args: details = [] } = decodeErrorResult({ abi, data: bytesToHex(output) })
  return [errorName, ...details]
}

const read = (contract: Contract, functionName: string, args: readonly unknown[] = []) =>
  call(ALICE, contract, functionName, args)

describe.each([
  ['Solidity stocks', undefined, DEMO_STOCKS],
  ['native stocks', 'cobalt', NATIVE_DEMO_STOCKS],
] as const)('the market of %s', (_, upgrade: StockUpgrade | undefined, stocks: readonly DemoStock[]) => {
  const stock = stocks[0]!
  const token = stock.address as Hex
  const feed = feedOf(stock)

  test('has the multiplier of each token in the oracle registry, with no feed paused', async () => {
    chain = new StockChain(upgrade)
    for (const { address, multiplier } of stocks) {
      expect(await read(REGISTRY, 'getOracleParams', [address])).toEqual([multiplier, false])
    }
  })

  test('begins with the price of a share that times the multiplier is the price of the token', async () => {
    chain = new StockChain(upgrade)
    for (const one of stocks) {
      const share = (await read(feedOf(one), 'equityPrice')) as bigint
      const { answer } = one.priceFeed
      // Rounded down.
      expect((share * one.multiplier) / ONE).toBeLessThanOrEqual(answer)
      expect(((share + 1n) * one.multiplier) / ONE).toBeGreaterThanOrEqual(answer)
      expect(String(await read(feedOf(one), 'token')).toLowerCase()).toBe(one.address)
    }
  })

  test('multiplies the price of a share by the multiplier of the token', async () => {
    chain = new StockChain(upgrade)
    await chain.send(ADMIN, 'updateMultiplier', [(102n * ONE) / 100n], { to: token })

    await call(ADMIN, feed, 'updateEquityPrice', [200_00000000n])

    expect(await read(feed, 'latestAnswer')).toBe(204_00000000n)
    expect(await read(feed, 'equityPrice')).toBe(200_00000000n)
    await call(ADMIN, feed, 'updateAnswer', [102_00000000n])
    expect(await read(feed, 'equityPrice')).toBe(100_00000000n)
  })

  test('holds the last price and its time while the session is closed, and readers still get it', async () => {
    chain = new StockChain(upgrade)
    await call(ADMIN, feed, 'updateEquityPrice', [100_00000000n])
    const held = await read(feed, 'latestRoundData')
    await call(ADMIN, MARKET, 'setSession', [SESSION.closed])
    chain.moveTo(chain.time + 72n * 3_600n)

    expect(await call(ADMIN, feed, 'updateEquityPrice', [101_00000000n])).toEqual(['MarketClosed'])
    expect(await call(ADMIN, feed, 'updateAnswer', [101_00000000n])).toEqual(['MarketClosed'])

    expect(await read(feed, 'latestRoundData')).toEqual(held)
    await call(ADMIN, MARKET, 'setSession', [SESSION.overnight])
    await call(ADMIN, feed, 'updateEquityPrice', [101_00000000n])
    expect(await read(feed, 'latestRoundData')).toEqual([3n, 101_00000000n, chain.time, chain.time, 3n])
  })

  test('holds the last price while the registry has paused the token, although its multiplier changes', async () => {
    chain = new StockChain(upgrade)
    const held = await read(feed, 'latestRoundData')
    await call(ADMIN, REGISTRY, 'setOraclePaused', [token, true])
    await chain.send(ADMIN, 'updateMultiplier', [2n * ONE], { to: token })

    const refusal = await call(ADMIN, feed, 'updateEquityPrice', [1_00000000n])

    expect((refusal as string[]).map((part) => part.toLowerCase())).toEqual(['oraclepaused', token])
    expect(await read(REGISTRY, 'getOracleParams', [token])).toEqual([2n * ONE, true])
    expect(await read(feed, 'latestRoundData')).toEqual(held)
    expect(await call(ADMIN, feedOf(stocks[1]!), 'updateEquityPrice', [1_00000000n])).toBeUndefined()
    await call(ADMIN, REGISTRY, 'setOraclePaused', [token, false])
    await call(ADMIN, feed, 'updateEquityPrice', [93_71000000n])
    expect(await read(feed, 'latestAnswer')).toBe(187_42000000n)
  })
})

test("a feed answers Chainlink's former functions, with 0 for a round that it lacks", async () => {
  chain = new StockChain()
  const feed = feedOf(DEMO_STOCKS[0]!)
  await call(ADMIN, feed, 'updateAnswer', [5n])

  expect(await read(feed, 'latestRound')).toBe(2n)
  expect(await read(feed, 'latestTimestamp')).toBe(chain.time)
  expect(await read(feed, 'getAnswer', [1n])).toBe(DEMO_STOCKS[0]!.priceFeed.answer)
  expect(await read(feed, 'getTimestamp', [2n])).toBe(chain.time)
  for (const round of [3n, 2n ** 80n + 1n]) {
    expect(await read(feed, 'getAnswer', [round])).toBe(0n)
    expect(await read(feed, 'getTimestamp', [round])).toBe(0n)
  }
  expect(await read(feed, 'getRoundData', [3n])).toEqual(['UnknownRound', 3n])
})

test('a feed refuses prices that are not positive, and updates by others than its owner', async () => {
  chain = new StockChain()
  const feed = feedOf(DEMO_STOCKS[0]!)

  expect(await call(ADMIN, feed, 'updateAnswer', [0n])).toEqual(['InvalidAnswer', 0n])
  expect(await call(ADMIN, feed, 'updateEquityPrice', [-1n])).toEqual(['InvalidAnswer', -1n])
  expect(await call(ALICE, feed, 'updateEquityPrice', [1n])).toEqual(['NotOwner', ALICE])
  expect(await call(ALICE, MARKET, 'setSession', [SESSION.regular])).toEqual(['NotOwner', ALICE])
})

describe('the oracle registry', () => {
  const token = DEMO_STOCKS[0]!.address
  const PAUSER = idOf('PAUSER_ROLE')
  const DEFAULT_ADMIN = `0x${'00'.repeat(32)}`

  test('pauses for holders of PAUSER_ROLE only, which an admin grants and revokes', async () => {
    chain = new StockChain()
    const denied = ['AccessControlUnauthorizedAccount', ALICE, PAUSER]

    expect(await call(ALICE, REGISTRY, 'setOraclePaused', [token, true])).toEqual(denied)
    await call(ADMIN, REGISTRY, 'grantRole', [PAUSER, ALICE])
    expect(await call(ALICE, REGISTRY, 'setOraclePaused', [token, true])).toBeUndefined()
    await call(ADMIN, REGISTRY, 'revokeRole', [PAUSER, ALICE])
    expect(await call(ALICE, REGISTRY, 'setOraclePaused', [token, false])).toEqual(denied)
    expect(await call(BOB, REGISTRY, 'grantRole', [PAUSER, BOB])).toEqual([
      'AccessControlUnauthorizedAccount',
      BOB,
      DEFAULT_ADMIN,
    ])
  })

  test('lets a holder renounce its own role only', async () => {
    chain = new StockChain()

    expect(await call(ALICE, REGISTRY, 'renounceRole', [PAUSER, ADMIN])).toEqual(['AccessControlBadConfirmation'])
    await call(ADMIN, REGISTRY, 'renounceRole', [PAUSER, ADMIN])

    expect(await read(REGISTRY, 'hasRole', [PAUSER, ADMIN])).toBe(false)
    expect(await read(REGISTRY, 'hasRole', [DEFAULT_ADMIN, ADMIN])).toBe(true)
    expect(await read(REGISTRY, 'getRoleAdmin', [PAUSER])).toBe(DEFAULT_ADMIN)
  })

  test("has the selectors of Base's, and the interface identifiers of AccessControl and ERC-165", async () => {
    chain = new StockChain()
    const selector = (functionName: string, args: readonly unknown[]) =>
      encodeFunctionData({ abi: REGISTRY.abi, functionName, args }).slice(0, 10)

    expect(selector('getOracleParams', [token])).toBe('0xd4197e82')
    expect(selector('setOraclePaused', [token, true])).toBe('0x0dd9faaf')
    expect(await read(REGISTRY, 'supportsInterface', ['0x01ffc9a7'])).toBe(true)
    expect(await read(REGISTRY, 'supportsInterface', ['0x7965db0b'])).toBe(true)
    expect(await read(REGISTRY, 'supportsInterface', ['0xffffffff'])).toBe(false)
  })
})
