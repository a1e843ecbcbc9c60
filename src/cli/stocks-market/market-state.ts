import {
  DEMO_STOCKS,
  type DemoStock,
  ORACLE_REGISTRY_ADDRESS,
  STOCK_MARKET_ADDRESS,
} from '../../chain/predeploys/demo-stocks.ts'
import { type Address, type Hash, toAddress } from '../../primitives/hex.ts'
import { sessionOfNumber } from '../../primitives/stocks/market-session.ts'
import { feedFunction, marketFunction, oracleFunction, stockFunction } from '../stock/chain/contracts.ts'
import type { JsonRpc } from '../stock/chain/json-rpc.ts'
import { type Read, readAll } from '../stock/chain/multicall.ts'
import { read } from '../stock/state/stock-state.ts'
import { actionAt } from './market-action.ts'
import type { MarketMode } from './market-modes.ts'
import type { MarketState, TradedStock } from './next-calls.ts'

/** A demonstration stock with the address of its contract. */
export interface StockOnChain {
  readonly stock: DemoStock
  readonly token: Address
}

/** The demonstration stocks of the chain, by what their feeds say; empty where block 0 has no market. */
export async function readMarketStocks(rpc: JsonRpc): Promise<readonly StockOnChain[]> {
  const reads = DEMO_STOCKS.map(({ priceFeed }) => read(toAddress(priceFeed.address), feedFunction('token')))
  const { values } = await readAll(rpc, 'latest', reads)
  return DEMO_STOCKS.flatMap((stock, index) => {
    const token = values[index]
    return typeof token === 'string' ? [{ stock, token: toAddress(token) }] : []
  })
}

/** The market as of a sealed block. */
export async function readMarket(
  rpc: JsonRpc,
  stocks: readonly StockOnChain[],
  mode: MarketMode,
  { hash, time }: { readonly hash: Hash; readonly time: number },
): Promise<MarketState> {
  const reads = [
    read(STOCK_MARKET_ADDRESS, marketFunction('session')),
    ...stocks.flatMap((one) => readsOf(one, actionAt(time, one.stock.symbol, mode)?.id ?? '')),
  ]
  const { values } = await readAll(rpc, { blockHash: hash }, reads)
  const [session, ...others] = values
  return {
    time,
    session: sessionOfNumber(session as bigint),
    stocks: stocks.map((one, index) => tradedStock(one, others.slice(index * READS, (index + 1) * READS))),
  }
}

const READS = 6

function readsOf({ stock, token }: StockOnChain, announcementId: string): readonly Read[] {
  const feed = toAddress(stock.priceFeed.address)
  return [
    read(ORACLE_REGISTRY_ADDRESS, oracleFunction('getOracleParams'), token),
    read(token, stockFunction('effectiveAt')),
    read(token, stockFunction('isAnnouncementIdUsed'), announcementId),
    read(feed, feedFunction('equityPrice')),
    read(feed, feedFunction('latestAnswer')),
    read(feed, feedFunction('latestTimestamp')),
  ]
}

/** @param values of `readsOf` */
function tradedStock({ stock, token }: StockOnChain, values: readonly unknown[]): TradedStock {
  const [params, effectiveAt, isAnnounced, equityPrice, answer, updatedAt] = values as [
    { readonly multiplier: bigint; readonly paused: boolean },
    bigint | undefined,
    boolean,
    bigint,
    bigint,
    bigint,
  ]
  return {
    stock,
    token,
    feed: toAddress(stock.priceFeed.address),
    multiplier: params.multiplier,
    effectiveAt,
    isAnnounced,
    isOraclePaused: params.paused,
    equityPrice,
    answer,
    updatedAt,
  }
}
