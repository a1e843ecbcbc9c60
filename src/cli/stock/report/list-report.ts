import { formatDecimal } from '../../../primitives/decimal.ts'
import { MULTIPLIER_DECIMALS } from '../../../primitives/stocks/split-ratio.ts'
import { oneLine } from '../../../primitives/text/foreign-text.ts'
import type { StockList } from '../state/stock-list.ts'
import type { StockState } from '../state/stock-state.ts'
import { formatTime } from '../terms/split-time.ts'
import { blockValue, pausedText, type Report, scheduledText, stockValue } from './report.ts'

interface Column {
  readonly title: string
  readonly cell: (stock: StockState) => string
  /** Right-aligns numbers. */
  readonly isNumber?: true
}

const COLUMNS: readonly Column[] = [
  { title: 'SYMBOL', cell: ({ symbol }) => oneLine(symbol) },
  { title: 'ADDRESS', cell: ({ address }) => address },
  { title: 'DECIMALS', cell: ({ decimals }) => String(decimals), isNumber: true },
  { title: 'SUPPLY', cell: ({ totalSupply, decimals }) => formatDecimal(totalSupply, decimals), isNumber: true },
  { title: 'MULTIPLIER', cell: ({ multiplier }) => formatDecimal(multiplier, MULTIPLIER_DECIMALS), isNumber: true },
  { title: 'SCHEDULED', cell: scheduledText },
  { title: 'PAUSED', cell: pausedText },
  { title: 'ISIN', cell: ({ isin }) => oneLine(isin) || 'none' },
  { title: 'NAME', cell: ({ name }) => oneLine(name) },
]

/** A table of all stocks at one block, and that block. */
export function listReport({ block, stocks }: StockList): Report {
  const rows = [COLUMNS.map(({ title }) => title), ...stocks.map((stock) => COLUMNS.map(({ cell }) => cell(stock)))]
  const widths = COLUMNS.map((_, column) => Math.max(...rows.map((row) => row[column]!.length)))
  const lines = rows.map((row) =>
    row
      .map((cell, column) => padded(cell, column, widths))
      .join('  ')
      .trimEnd(),
  )
  const head = `${stocks.length} stocks in block ${block.number} of ${formatTime(block.timestamp)}`
  return {
    text: [head, '', ...lines].join('\n'),
    value: { block: blockValue(block), stocks: stocks.map(stockValue) },
  }
}

function padded(cell: string, column: number, widths: readonly number[]): string {
  return COLUMNS[column]!.isNumber ? cell.padStart(widths[column]!) : cell.padEnd(widths[column]!)
}
