import { ORACLE_REGISTRY_ADDRESS } from '../../../chain/predeploys/demo-stocks.ts'
import type { ValuesOf } from '../../../flags/flag.ts'
import type { STOCK_FEED_FLAGS, STOCK_PRICE_FLAGS, STOCK_RESUME_FLAGS } from '../../../flags/stock-flags.ts'
import { feedFunction, oracleFunction } from '../chain/contracts.ts'
import { feedReport, sessionReport } from '../report/market-report.ts'
import type { SendOptions } from '../state/change.ts'
import { changeFeed, changeSession, type Feed, priceFeedOf, readFeed } from '../state/market.ts'
import { findStock } from '../state/stock-list.ts'
import { parseDecimal } from '../terms/decimal.ts'
import { parseSession, sessionName } from '../terms/sessions.ts'
import { StockError } from '../terms/stock-error.ts'
import type { StockAction } from './stock-action.ts'

type Options = SendOptions & ValuesOf<typeof STOCK_FEED_FLAGS>

/** `tickertape stock price` */
export const price: StockAction<Options & ValuesOf<typeof STOCK_PRICE_FLAGS>> = async (
  context,
  [text, name],
  options,
) => {
  const { stock } = await findStock(context.rpc, name!, 'pending')
  const feed = priceFeedOf(stock, options.feed)
  const { decimals } = await readFeed(context.rpc, feed)
  const change = await changeFeed(
    context,
    options,
    feed,
    priceCall(feed, text!, { decimals, isOfShare: options.share }),
  )
  const object = `the price of a ${options.share ? 'share' : 'token'} of ${stock.symbol} to ${text}`
  return feedReport(['Set', 'set'], object, feed, change)
}

function priceCall(
  { address }: Feed,
  text: string,
  { decimals, isOfShare }: { readonly decimals: number; readonly isOfShare: boolean },
) {
  const value = parseDecimal(text, decimals, 'the price')
  if (value === 0n) throw new StockError('INVALID_INPUT', 'the price is 0: a feed has none')
  return { to: address, data: feedFunction(isOfShare ? 'updateEquityPrice' : 'updateAnswer').encode(value) }
}

/** `tickertape stock freeze` */
export const freeze: StockAction<Options> = async (context, [name], options) => {
  const { stock } = await findStock(context.rpc, name!, 'pending')
  const feed = priceFeedOf(stock, options.feed)
  const change = await changeFeed(context, options, feed, pausing(feed, true))
  return feedReport(['Froze', 'freeze'], `the feed of ${stock.symbol}`, feed, change)
}

/** `tickertape stock resume` */
export const resume: StockAction<Options & ValuesOf<typeof STOCK_RESUME_FLAGS>> = async (context, [name], options) => {
  const { sharePrice } = options
  const { stock } = await findStock(context.rpc, name!, 'pending')
  const feed = priceFeedOf(stock, options.feed)
  const { decimals } = await readFeed(context.rpc, feed)
  // Before anything is sent, so that a wrong price leaves the feed frozen.
  const priced = sharePrice === undefined ? undefined : priceCall(feed, sharePrice, { decimals, isOfShare: true })
  if (priced !== undefined && options.dryRun) {
    throw new StockError('INVALID_INPUT', '--share-price needs the resumed feed: a dry run cannot simulate both')
  }
  const resumed = await changeFeed(context, options, feed, pausing(feed, false))
  const report = feedReport(['Resumed', 'resume'], `the feed of ${stock.symbol}`, feed, resumed)
  if (priced === undefined) return report
  context.print(report)
  const change = await changeFeed(context, options, feed, priced)
  return feedReport(['Set', 'set'], `the price of a share of ${stock.symbol} to ${sharePrice}`, feed, change)
}

function pausing({ stock }: Feed, paused: boolean) {
  const data = oracleFunction('setOraclePaused').encode({ token: stock.address, paused })
  return { to: ORACLE_REGISTRY_ADDRESS, data }
}

/** `tickertape stock session` */
export const session: StockAction<SendOptions> = async (context, [text], options) => {
  const wanted = parseSession(text!)
  const change = await changeSession(context, options, wanted)
  return sessionReport(`the session to ${sessionName(wanted)}`, change)
}
