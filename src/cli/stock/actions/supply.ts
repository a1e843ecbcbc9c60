import type { ValuesOf } from '../../../flags/flag.ts'
import type { STOCK_MINT_FLAGS } from '../../../flags/stock-flags.ts'
import { stockFunction } from '../chain/contracts.ts'
import { signerOf } from '../chain/sender.ts'
import { changeReport } from '../report/report.ts'
import { type AnnouncedOptions, changeStock, type SendOptions } from '../state/change.ts'
import { findStock, parseAddress } from '../state/stock-list.ts'
import { amountText, parseAmount } from '../terms/amount.ts'
import type { StockAction } from './stock-action.ts'

type Options = SendOptions & AnnouncedOptions

/** `tickertape stock mint` */
export const mint: StockAction<Options & ValuesOf<typeof STOCK_MINT_FLAGS>> = async (
  context,
  [text, name],
  options,
) => {
  const to = options.to === undefined ? signerOf(options).address : parseAddress(options.to, '--to')
  const { stock } = await findStock(context.rpc, name!, 'pending')
  const amount = parseAmount(text!, stock)
  const change = await changeStock(context, options, stock, stockFunction('mint').encode({ to, amount }))
  return changeReport(['Minted', 'mint'], `${amountText(amount, stock)} to ${to}`, change)
}

/** `tickertape stock burn` */
export const burn: StockAction<Options> = async (context, [text, name], options) => {
  const { address } = signerOf(options)
  const { stock } = await findStock(context.rpc, name!, 'pending')
  const amount = parseAmount(text!, stock)
  const change = await changeStock(context, options, stock, stockFunction('burn').encode(amount))
  return changeReport(['Burned', 'burn'], `${amountText(amount, stock)} of ${address}`, change)
}
