import type { ValuesOf } from '../../../flags/flag.ts'
import type {
  STOCK_NODE_FLAGS,
  STOCK_READ_FLAGS,
  STOCK_REST_FLAGS,
  STOCK_WATCH_FLAGS,
} from '../../../flags/stock-flags.ts'
import { followChanges } from '../chain/change-stream.ts'
import { changeLine } from '../report/change-line.ts'
import { listReport } from '../report/list-report.ts'
import { showReport } from '../report/show-report.ts'
import { readPricedStock } from '../state/market.ts'
import { findStock, listStocks } from '../state/stock-list.ts'
import { parseBlockName } from '../terms/block-name.ts'
import type { StockAction } from './stock-action.ts'

type Common = ValuesOf<typeof STOCK_NODE_FLAGS & typeof STOCK_READ_FLAGS & typeof STOCK_REST_FLAGS>

/** `tickertape stock list` */
export const list: StockAction<ValuesOf<typeof STOCK_READ_FLAGS>> = async ({ rpc }, _, { block }) =>
  listReport(await listStocks(rpc, parseBlockName(block)))

/** `tickertape stock show` */
export const show: StockAction<Common & ValuesOf<typeof STOCK_WATCH_FLAGS>> = async (context, [name], options) => {
  const at = parseBlockName(options.block)
  const found = await findStock(context.rpc, name!, at)
  const report = showReport((await readPricedStock(context.rpc, found.stock, at)) ?? { ...found, feed: null })
  if (!options.watch) return report
  context.print(report)
  // It ends with the process, or after the number of changes.
  const { signal } = new AbortController()
  let count = 0
  for await (const change of followChanges(found.stock.address, { ...options, signal }, context)) {
    context.print({ text: changeLine(change), value: change })
    count += 1
    if (count === options.changes) return undefined
  }
  return undefined
}
