import {
  DEMO_STOCK_FEEDS,
  ORACLE_REGISTRY_ADDRESS,
  STOCK_MARKET_ADDRESS,
} from '../../../chain/predeploys/demo-stocks.ts'
import type { Address, Bytes } from '../../../primitives/hex.ts'
import { feedFunction, marketFunction, oracleFunction } from '../chain/contracts.ts'
import type { JsonRpc } from '../chain/json-rpc.ts'
import { type ReadResults, readAll } from '../chain/multicall.ts'
import type { Unit } from '../chain/refusals.ts'
import type { BlockName } from '../terms/block-name.ts'
import { StockError } from '../terms/stock-error.ts'
import {
  type ExecutedChange,
  executeAndRead,
  type SendOptions,
  type StateReading,
  type StockContext,
} from './change.ts'
import { type FoundStock, parseAddress } from './stock-list.ts'
import { READS_OF_STOCK, read, readsOf, type StockState, stockState } from './stock-state.ts'

/** A price feed, what its registry says, and the session of the exchange. */
export interface FeedState {
  /** Price of a token. */
  readonly price: bigint
  /** Price of a share at the last update. */
  readonly sharePrice: bigint
  readonly decimals: number
  /** Unix seconds. */
  readonly updatedAt: bigint
  /** Whether the oracle registry paused it. */
  readonly isFrozen: boolean
  readonly session: bigint
}

/** Result of a transaction about a feed. */
export interface FeedChange extends ExecutedChange<FeedState> {
  readonly before: FeedState
}

/** A feed of a stock. */
export interface Feed {
  readonly address: Address
  readonly stock: StockState
}

/** @throws StockError `INVALID_INPUT` when none is named and the stock is no demonstration stock */
export function priceFeedOf(stock: StockState, named: string | undefined): Feed {
  const address = named === undefined ? DEMO_STOCK_FEEDS.get(stock.address) : parseAddress(named, '--feed')
  if (address !== undefined) return { address, stock }
  throw new StockError('INVALID_INPUT', `${stock.symbol} is no demonstration stock: name its price feed with --feed`)
}

/** @throws StockError `STOCK_NOT_FOUND` when the feed or its contracts are missing */
export async function readFeed(rpc: JsonRpc, feed: Feed): Promise<FeedState> {
  const { reads, decode } = feedReading(feed)
  const state = decode(await readAll(rpc, 'pending', reads))
  if (state !== undefined) return state
  throw new StockError(
    'STOCK_NOT_FOUND',
    `at ${feed.address} there is no price feed with an oracle registry and a market: a chain that began with --demo-stocks v1 has none`,
  )
}

/**
 * A demonstration stock and its feed, both read at one block.
 *
 * @returns undefined where the stock, its feed or the contracts of the market are missing
 */
export async function readPricedStock(
  rpc: JsonRpc,
  stock: StockState,
  at: BlockName,
): Promise<(FoundStock & { readonly feed: { readonly address: Address; readonly state: FeedState } }) | undefined> {
  const address = DEMO_STOCK_FEEDS.get(stock.address)
  if (address === undefined) return undefined
  const { reads, decode } = feedReading({ address, stock })
  const { block, values } = await readAll(rpc, at, [...readsOf(stock.address), ...reads])
  const read = stockState(stock.address, values.slice(0, READS_OF_STOCK), block)
  const state = decode({ block, values: values.slice(READS_OF_STOCK) })
  return read && state && { block, stock: read, feed: { address, state } }
}

/** Makes a call about a feed, and reads it again. */
export async function changeFeed(
  context: StockContext,
  options: SendOptions,
  feed: Feed,
  call: { readonly to: Address; readonly data: Bytes },
): Promise<FeedChange> {
  const before = await readFeed(context.rpc, feed)
  const unit: Unit = feed.stock
  return { ...(await executeAndRead(context, options, call, unit, feedReading(feed))), before }
}

/** Changes the session of the exchange. */
export async function changeSession(
  context: StockContext,
  options: SendOptions,
  session: bigint,
): Promise<ExecutedChange<bigint> & { readonly before: bigint }> {
  const reading: StateReading<bigint> = {
    reads: [read(STOCK_MARKET_ADDRESS, marketFunction('session'))],
    decode: ({ values }) => values[0] as bigint | undefined,
  }
  const before = reading.decode(await readAll(context.rpc, 'pending', reading.reads))
  if (before === undefined) {
    throw new StockError('STOCK_NOT_FOUND', `this chain has no market at ${STOCK_MARKET_ADDRESS}`)
  }
  const call = { to: STOCK_MARKET_ADDRESS, data: marketFunction('setSession').encode(session) }
  const unit = { symbol: 'the market', decimals: 0 }
  return { ...(await executeAndRead(context, options, call, unit, reading)), before }
}

function feedReading({ address, stock }: Feed): StateReading<FeedState> {
  const feedRead = (name: string) => read(address, feedFunction(name))
  return {
    reads: [
      ...['latestAnswer', 'equityPrice', 'decimals', 'latestTimestamp'].map(feedRead),
      read(ORACLE_REGISTRY_ADDRESS, oracleFunction('getOracleParams'), stock.address),
      read(STOCK_MARKET_ADDRESS, marketFunction('session')),
    ],
    decode: ({ values }: ReadResults) => {
      if (values.includes(undefined)) return undefined
      const [price, sharePrice, decimals, updatedAt, params, session] = values as [
        bigint,
        bigint,
        bigint,
        bigint,
        { readonly paused: boolean },
        bigint,
      ]
      return { price, sharePrice, decimals: Number(decimals), updatedAt, isFrozen: params.paused, session }
    },
  }
}
