import type { ValuesOf } from '../../../flags/flag.ts'
import type { STOCK_READ_FLAGS } from '../../../flags/stock-flags.ts'
import { listReport } from '../report/list-report.ts'
import { showReport } from '../report/report.ts'
import { findStock, listStocks } from '../state/stock-list.ts'
import { parseBlockName } from '../terms/block-name.ts'
import type { StockAction } from './stock-action.ts'

type Options = ValuesOf<typeof STOCK_READ_FLAGS>

/** `tickertape stock list` */
export const list: StockAction<Options> = async ({ rpc }, _, { block }) =>
  listReport(await listStocks(rpc, parseBlockName(block)))

/** `tickertape stock show` */
export const show: StockAction<Options> = async ({ rpc }, [name], options) => {
  const { stock, block } = await findStock(rpc, name!, parseBlockName(options.block))
  return showReport(stock, block)
}
