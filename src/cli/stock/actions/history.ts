import type { ValuesOf } from '../../../flags/flag.ts'
import type {
  STOCK_ENTRY_FLAGS,
  STOCK_HISTORY_FLAGS,
  STOCK_NODE_FLAGS,
  STOCK_REST_FLAGS,
} from '../../../flags/stock-flags.ts'
import { type RestEntries, restEntries } from '../chain/rest-client.ts'
import type { WireObject } from '../chain/wire.ts'
import { actionLine } from '../report/action-line.ts'
import type { Report } from '../report/report.ts'
import { type TableColumn, tableLines } from '../report/table.ts'
import { findStock } from '../state/stock-list.ts'
import { parseBlockName } from '../terms/block-name.ts'
import { StockError } from '../terms/stock-error.ts'
import type { StockAction } from './stock-action.ts'

type Options = ValuesOf<typeof STOCK_NODE_FLAGS & typeof STOCK_REST_FLAGS & typeof STOCK_ENTRY_FLAGS>

/** `tickertape stock history` */
export const history: StockAction<Options & ValuesOf<typeof STOCK_HISTORY_FLAGS>> = async (
  { rpc },
  [name],
  options,
) => {
  const { field, block, from, to, every, limit } = options
  const isActions = field === 'actions'
  if (isActions && every !== undefined) {
    throw new StockError('INVALID_INPUT', '--every is of values: corporate actions are listed one by one')
  }
  const { stock } = await findStock(rpc, name!, parseBlockName(block))
  const path = `/v1/tokenized-stocks/${stock.address}`
  const list = isActions
    ? { path: `${path}/corporate-actions`, member: 'corporate_actions' }
    : { path: `${path}/history`, member: 'points' }
  const query = { block, from, to, every, field: isActions ? undefined : field }
  const found = await restEntries(options, list, { query, limit })
  const lines = isActions
    ? found.entries.map(actionLine)
    : tableLines(valueColumns(field, found.entries), found.entries)
  const title = isActions ? `Corporate actions of ${stock.symbol}` : `${field} of ${stock.symbol}`
  return listReport(title, lines, { address: stock.address, field }, found)
}

/** `tickertape stock holders` */
export const holders: StockAction<Options> = async ({ rpc }, [name], options) => {
  const { block, limit } = options
  const { stock } = await findStock(rpc, name!, parseBlockName(block))
  const list = { path: `/v1/tokenized-stocks/${stock.address}/holders`, member: 'holders' }
  const found = await restEntries(options, list, { query: { block }, limit })
  return listReport(
    `Holders of ${stock.symbol}`,
    tableLines(HOLDER_COLUMNS, found.entries),
    { address: stock.address },
    found,
  )
}

const HOLDER_COLUMNS: readonly TableColumn<WireObject>[] = [
  { title: 'HOLDER', cell: ({ address }) => text(address) },
  { title: 'BALANCE', cell: ({ balance_exact }) => text(balance_exact), isNumber: true },
  { title: 'SHARE', cell: ({ share_of_supply: share }) => `${(Number(share) * 100).toFixed(4)} %`, isNumber: true },
]

function valueColumns(field: string, points: readonly WireObject[]): readonly TableColumn<WireObject>[] {
  const isSampled = points[0]?.sampled_at !== undefined
  const sample: TableColumn<WireObject> = { title: 'SAMPLED AT', cell: ({ sampled_at }) => text(sampled_at) }
  return [
    ...(isSampled ? [sample] : []),
    { title: 'BLOCK', cell: ({ block_number }) => text(block_number), isNumber: true },
    { title: isSampled ? 'BLOCK TIME' : 'TIME', cell: ({ timestamp }) => text(timestamp) },
    {
      title: field.toUpperCase(),
      cell: ({ value_exact, problem }) => text(value_exact ?? problem ?? 'none'),
      isNumber: true,
    },
  ]
}

function listReport(
  title: string,
  lines: readonly string[],
  value: object,
  { entries, isComplete }: RestEntries,
): Report {
  const more = isComplete ? [] : [`There are more than these ${entries.length}: raise --limit.`]
  return {
    text: [title, '', ...(entries.length === 0 ? ['none'] : lines), ...more].join('\n'),
    value: { ...value, entries, isComplete },
  }
}

function text(value: unknown): string {
  return value === null || value === undefined ? '' : String(value)
}
