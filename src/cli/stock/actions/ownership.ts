import type { ValuesOf } from '../../../flags/flag.ts'
import type { STOCK_SEIZE_FLAGS, STOCK_TRANSFER_FLAGS } from '../../../flags/stock-flags.ts'
import { type Bytes, hexToBytes, isHexBytes } from '../../../primitives/hex.ts'
import { stockFunction } from '../chain/contracts.ts'
import { signerOf } from '../chain/sender.ts'
import { changeReport } from '../report/report.ts'
import { type AnnouncedOptions, changeStock, execute, type SendOptions } from '../state/change.ts'
import { findStock, parseAddress } from '../state/stock-list.ts'
import { amountText, parseAmount } from '../terms/amount.ts'
import { StockError } from '../terms/stock-error.ts'
import type { StockAction } from './stock-action.ts'

/** `tickertape stock transfer` */
export const transfer: StockAction<SendOptions & ValuesOf<typeof STOCK_TRANSFER_FLAGS>> = async (
  context,
  [text, name],
  options,
) => {
  const to = requiredAddress(options.to, '--to')
  const memo = options.memo === undefined ? undefined : parseMemo(options.memo)
  const { stock } = await findStock(context.rpc, name!, 'pending')
  const amount = parseAmount(text!, stock)
  const data =
    memo === undefined
      ? stockFunction('transfer').encode({ to, amount })
      : stockFunction('transferWithMemo').encode({ to, amount, memo })
  const change = await execute(context, options, { to: stock.address, data }, stock)
  const object = `${amountText(amount, stock)} to ${to}`
  return changeReport(['Transferred', 'transfer'], object, { ...change, before: stock })
}

/** `tickertape stock seize` */
export const seize: StockAction<SendOptions & AnnouncedOptions & ValuesOf<typeof STOCK_SEIZE_FLAGS>> = async (
  context,
  [text, name],
  options,
) => {
  const from = requiredAddress(options.from, '--from')
  const to = options.to === undefined ? signerOf(options).address : parseAddress(options.to, '--to')
  const memo = parseMemo(options.memo)
  const { stock } = await findStock(context.rpc, name!, 'pending')
  const amount = parseAmount(text!, stock)
  const data = stockFunction('seizeWithMemo').encode({ from, to, amount, memo })
  const change = await changeStock(context, options, stock, data)
  return changeReport(['Seized', 'seize'], `${amountText(amount, stock)} of ${from} for ${to}`, change)
}

function requiredAddress(text: string | undefined, flag: string) {
  if (text === undefined) throw new StockError('INVALID_INPUT', `${flag} is missing: name an account`)
  return parseAddress(text, flag)
}

/** 32 bytes in hex, or a text of at most 32 bytes with zeros behind it. */
function parseMemo(text: string): Bytes {
  if (isHexBytes(text) && text.length === 66) return hexToBytes(text)
  const bytes = Buffer.from(text, 'utf8')
  if (bytes.length <= 32) return Buffer.concat([bytes, Buffer.alloc(32 - bytes.length)])
  throw new StockError('INVALID_INPUT', `--memo has 32 bytes, in hex or as text; got ${bytes.length} bytes`)
}
