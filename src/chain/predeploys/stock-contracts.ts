import { type Address, type Slot, toAddress, toSlot } from '../../primitives/hex.ts'
import { bigintToSlot } from '../../primitives/quantity.ts'
import {
  DEMO_STOCKS,
  type DemoStock,
  type DemoStockSet,
  NATIVE_DEMO_STOCKS,
  ORACLE_REGISTRY_ADDRESS,
  STOCK_MARKET_ADDRESS,
} from './demo-stocks.ts'
import former from './demo-stocks-v1.json' with { type: 'json' }
import { type Predeploy, predeploy } from './predeploy.ts'
import priceFeed from './price-feed.json' with { type: 'json' }
import executions from './stock-contracts.json' with { type: 'json' }

/** The implementation behind the stock proxies; not a token itself. */
export const STOCK_IMPLEMENTATION_ADDRESS = toAddress('0x5700000000000000000000000000000000000000')

/** Creates and lists stocks, at the address that Base's asset standard (B20) uses for its factory. */
export const STOCK_FACTORY_ADDRESS = toAddress('0xb20f000000000000000000000000000000000000')

/** Code and storage by address. */
type States = Readonly<
  Record<string, { readonly code: string; readonly storage: Readonly<Record<string, string>> } | undefined>
>

const STATE: States = executions
/** In the set `v1`, the states of these contracts in place of those of `v2`. */
const FORMER_STATE: States = former.contracts

const FEED_TOKEN_SLOT = bigintToSlot(BigInt(priceFeed.storageLayout.find(({ label }) => label === 'token')!.slot))

/**
 * The demonstration stocks with their implementation, factory and market. stock-contracts.json holds the code and
 * storage that the constructors and initialisers of contracts/stock produce; stock-contracts.test.ts runs them and
 * compares, and with `-u` writes the file. demo-stocks-v1.json is what an earlier version of them produced.
 */
export function stockContracts(set: DemoStockSet): readonly Predeploy[] {
  return [
    executed('StockToken', STOCK_IMPLEMENTATION_ADDRESS, set),
    executed('StockFactory', STOCK_FACTORY_ADDRESS, set),
    ...DEMO_STOCKS.map(({ name, address }) => executed(name, address, set)),
    ...marketContracts(set, DEMO_STOCKS),
  ]
}

/** Oracle registry, market and price feeds of the native demonstration stocks. */
export function nativeMarketContracts(set: DemoStockSet): readonly Predeploy[] {
  return marketContracts(set, NATIVE_DEMO_STOCKS)
}

function marketContracts(set: DemoStockSet, stocks: readonly DemoStock[]): readonly Predeploy[] {
  const feeds = stocks.map((stock) => priceFeedOf(stock, set))
  if (set === 'v1') return feeds
  const registry = executed('OracleRegistry', ORACLE_REGISTRY_ADDRESS, set)
  return [registry, executed('StockMarket', STOCK_MARKET_ADDRESS, set), ...feeds]
}

function priceFeedOf({ symbol, address, priceFeed }: DemoStock, set: DemoStockSet): Predeploy {
  const feed = executed(`price feed of ${symbol}`, priceFeed.address, set)
  if (set === 'v1') return feed
  // The file has the feeds of the stocks that are contracts.
  return { ...feed, storage: new Map([...feed.storage, [FEED_TOKEN_SLOT, BigInt(address)]]) }
}

function executed(name: string, address: Address | string, set: DemoStockSet): Predeploy {
  const state = (set === 'v1' ? FORMER_STATE[address] : undefined) ?? STATE[address]
  if (state === undefined) throw new Error(`stock-contracts.json lacks ${name}: run its test with -u`)
  return predeploy(name, address, state.code, storageOf(state.storage))
}

/** Storage as the files of this folder write it. */
export function storageOf(words: Readonly<Record<string, string>>): ReadonlyMap<Slot, bigint> {
  return new Map(Object.entries(words).map(([slot, value]) => [toSlot(slot), BigInt(value)]))
}
