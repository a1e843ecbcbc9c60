import { type Slot, toAddress } from '../../primitives/hex.ts'
import { DEMO_STOCKS } from './demo-stocks.ts'
import { type Predeploy, predeploy } from './predeploy.ts'
import executions from './stock-contracts.json' with { type: 'json' }

/** The implementation behind the stock proxies; not a token itself. */
export const STOCK_IMPLEMENTATION_ADDRESS = toAddress('0x5700000000000000000000000000000000000000')

/** Creates and lists stocks, at the address that Base's asset standard (B20) uses for its factory. */
export const STOCK_FACTORY_ADDRESS = toAddress('0xb20f000000000000000000000000000000000000')

const STATE: Readonly<Record<string, { readonly code: string; readonly storage: Readonly<Record<string, string>> }>> =
  executions

/**
 * The demonstration stocks with their implementation, factory and price feeds. stock-contracts.json holds the code and
 * storage that the constructors and initialisers of contracts/stock produce; stock-contracts.test.ts runs them and
 * compares, and with `-u` writes the file.
 */
export function stockContracts(): readonly Predeploy[] {
  return [
    executed('StockToken', STOCK_IMPLEMENTATION_ADDRESS),
    executed('StockFactory', STOCK_FACTORY_ADDRESS),
    ...DEMO_STOCKS.map(({ name, address }) => executed(name, address)),
    ...stockPriceFeeds(),
  ]
}

export function stockPriceFeeds(): readonly Predeploy[] {
  return DEMO_STOCKS.map(({ symbol, priceFeed }) => executed(`price feed of ${symbol}`, priceFeed.address))
}

function executed(name: string, address: string): Predeploy {
  const state = STATE[address]
  if (state === undefined) throw new Error(`stock-contracts.json lacks ${name}: run its test with -u`)
  const { code, storage } = state
  const slots = Object.entries(storage).map(([slot, value]) => [slot as Slot, BigInt(value)] as const)
  return predeploy(name, address, code, new Map(slots))
}
