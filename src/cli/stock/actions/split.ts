import type { ValuesOf } from '../../../flags/flag.ts'
import type { STOCK_SCHEDULE_FLAGS, STOCK_SPLIT_FLAGS } from '../../../flags/stock-flags.ts'
import { stockFunction } from '../chain/contracts.ts'
import { changeReport, scheduledText } from '../report/report.ts'
import { type AnnouncedOptions, changeStock, type SendOptions } from '../state/change.ts'
import { findStock } from '../state/stock-list.ts'
import { parseSplitRatio, splitMultiplier } from '../terms/split-ratio.ts'
import { formatTime, splitTime } from '../terms/split-time.ts'
import { StockError } from '../terms/stock-error.ts'
import type { StockAction } from './stock-action.ts'

type Options = SendOptions & AnnouncedOptions

/** `tickertape stock split` */
export const split: StockAction<Options & ValuesOf<typeof STOCK_SPLIT_FLAGS>> = async (
  context,
  [text, name],
  options,
) => {
  const ratio = parseSplitRatio(text!)
  const { stock } = await findStock(context.rpc, name!, 'pending')
  if (stock.scheduled !== undefined && !options.replaceScheduled) {
    throw new StockError(
      'INVALID_INPUT',
      `${stock.symbol} has a scheduled multiplier, ${scheduledText(stock)}, which a split now would cancel: --replace-scheduled does both`,
    )
  }
  const multiplier = splitMultiplier(stock.multiplier, ratio, options.round)
  const change = await changeStock(context, options, stock, stockFunction('updateMultiplier').encode(multiplier))
  return changeReport(['Split', 'split'], `${stock.symbol} ${text}`, change)
}

/** `tickertape stock schedule-split` */
export const scheduleSplit: StockAction<Options & ValuesOf<typeof STOCK_SCHEDULE_FLAGS>> = async (
  context,
  [text, name],
  options,
) => {
  const ratio = parseSplitRatio(text!)
  const { stock, block } = await findStock(context.rpc, name!, 'pending')
  const time = splitTime(options, block.timestamp)
  const newMultiplier = splitMultiplier(stock.multiplier, ratio, options.round)
  const data = stockFunction('updateUIMultiplier').encode({ newMultiplier, newEffectiveAt: BigInt(time) })
  const change = await changeStock(context, options, stock, data)
  const object = `a split of ${stock.symbol} ${text} for ${formatTime(time)}`
  return changeReport(['Scheduled', 'schedule'], object, change)
}

/** `tickertape stock cancel-split` */
export const cancelSplit: StockAction<Options> = async (context, [name], options) => {
  const { stock } = await findStock(context.rpc, name!, 'pending')
  const change = await changeStock(context, options, stock, stockFunction('cancelUIMultiplierUpdate').encode())
  return changeReport(['Cancelled', 'cancel'], `the scheduled multiplier of ${stock.symbol}`, change)
}
