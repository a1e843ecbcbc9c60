import type { Address } from '../../../primitives/hex.ts'
import { oneLine } from '../../../primitives/text/foreign-text.ts'
import type { ReadBlock } from '../chain/multicall.ts'
import type { FeedState } from '../state/market.ts'
import type { StockState } from '../state/stock-state.ts'
import { formatTime } from '../terms/split-time.ts'
import { feedFacts, feedValue } from './market-report.ts'
import { blockValue, facts, labelled, type Report, stockValue } from './report.ts'

interface ShownFeed {
  readonly address: Address
  readonly state: FeedState
}

interface Shown {
  readonly stock: StockState
  readonly block: ReadBlock
  /** Null for a stock without a known feed; absent where it was not read. */
  readonly feed?: ShownFeed | null
}

/** Report of one stock with all members, and with its price, freeze and session where its feed was read. */
export function showReport({ stock, block, feed }: Shown): Report {
  const rows: [string, string][] = [
    ['name', oneLine(stock.name)],
    ['address', stock.address],
    ['ISIN', oneLine(stock.isin) || 'none'],
    ['decimals', String(stock.decimals)],
    ...Object.entries(facts(stock)),
    ...(feed ? Object.entries({ feed: feed.address, ...feedFacts(feed.state) }) : []),
    ['block', `${block.number} of ${formatTime(block.timestamp)}`],
  ]
  return {
    text: [oneLine(stock.symbol), ...labelled(rows)].join('\n'),
    value: {
      block: blockValue(block),
      stock: stockValue(stock),
      ...(feed !== undefined && { feed: feed && { address: feed.address, ...feedValue(feed.state) } }),
    },
  }
}
