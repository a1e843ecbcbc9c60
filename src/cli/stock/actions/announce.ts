import type { ValuesOf } from '../../../flags/flag.ts'
import type { STOCK_ANNOUNCE_FLAGS } from '../../../flags/stock-flags.ts'
import { type Bytes, hexToBytes, isHexBytes } from '../../../primitives/hex.ts'
import { changeReport } from '../report/report.ts'
import { announcement, execute, type SendOptions } from '../state/change.ts'
import { findStock } from '../state/stock-list.ts'
import { StockError } from '../terms/stock-error.ts'
import type { StockAction } from './stock-action.ts'

/** `tickertape stock announce` */
export const announce: StockAction<SendOptions & ValuesOf<typeof STOCK_ANNOUNCE_FLAGS>> = async (
  context,
  [id, name],
  options,
) => {
  const calls = options.call.map(parseCall)
  const { stock } = await findStock(context.rpc, name!, 'pending')
  const data = announcement(id!, options.description, options.uri, calls)
  const change = await execute(context, options, { to: stock.address, data }, stock)
  return changeReport(['Announced', 'announce'], `${JSON.stringify(id)} of ${stock.symbol}`, {
    ...change,
    before: stock,
  })
}

function parseCall(text: string): Bytes {
  if (!isHexBytes(text) || text.length < 10) {
    throw new StockError('INVALID_INPUT', `--call wants calldata in hex, at least a selector of 4 bytes; got ${text}`)
  }
  return hexToBytes(text)
}
