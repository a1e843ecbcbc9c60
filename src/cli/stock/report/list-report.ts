import { formatDecimal } from '../../../primitives/decimal.ts'
import { MULTIPLIER_DECIMALS } from '../../../primitives/stocks/split-ratio.ts'
import { oneLine } from '../../../primitives/text/foreign-text.ts'
import type { StockList } from '../state/stock-list.ts'
import type { StockState } from '../state/stock-state.ts'
import { formatTime } from '../terms/split-time.ts'
import { blockValue, pausedText, type Report, scheduledText, stockValue } from './report.ts'
import { type TableColumn, tableLines } from './table.ts'

/** Width of a terminal. */
const WIDTH = 80

const SHORT: readonly TableColumn<StockState>[] = [
  { title: 'SYMBOL', cell: ({ symbol }) => oneLine(symbol) },
  { title: 'SUPPLY', cell: ({ totalSupply, decimals }) => formatDecimal(totalSupply, decimals), isNumber: true },
  { title: 'MULTIPLIER', cell: ({ multiplier }) => formatDecimal(multiplier, MULTIPLIER_DECIMALS), isNumber: true },
]
const ADDRESS: TableColumn<StockState> = { title: 'ADDRESS', cell: ({ address }) => address }

/** A table of all stocks at one block, and that block. Pauses and schedules have lines of their own. */
export function listReport({ block, stocks }: StockList): Report {
  const whole = tableLines([...SHORT, ADDRESS], stocks)
  const isWide = whole.some((line) => line.length > WIDTH)
  const [titles, ...lines] = isWide ? tableLines(SHORT, stocks) : whole
  const rows = stocks.flatMap((stock, index) => {
    const { scheduled, pausedFeatures, address } = stock
    const notes = [
      ...(isWide ? [address] : []),
      ...(pausedFeatures.length > 0 ? [`paused: ${pausedText(stock)}`] : []),
      ...(scheduled !== undefined ? [`scheduled: ${scheduledText(stock)}`] : []),
    ]
    return [lines[index]!, ...notes.map((note) => `        ${note}`)]
  })
  const head = `${stocks.length} stocks in block ${block.number} of ${formatTime(block.timestamp)}`
  return {
    text: [head, '', titles, ...rows].join('\n'),
    value: { block: blockValue(block), stocks: stocks.map(stockValue) },
  }
}
