import { stockFunction } from '../chain/contracts.ts'
import { changeReport, type Verb } from '../report/report.ts'
import { type AnnouncedOptions, changeStock, type SendOptions } from '../state/change.ts'
import { findStock } from '../state/stock-list.ts'
import { featureName, parseFeatures } from '../terms/features.ts'
import type { StockAction } from './stock-action.ts'

type Options = SendOptions & AnnouncedOptions

/** `tickertape stock pause` */
export const pause: StockAction<Options> = switching('pause', ['Paused', 'pause'])

/** `tickertape stock unpause` */
export const unpause: StockAction<Options> = switching('unpause', ['Unpaused', 'unpause'])

function switching(functionName: 'pause' | 'unpause', verb: Verb): StockAction<Options> {
  return async (context, [text, name], options) => {
    const features = parseFeatures(text!)
    const { stock } = await findStock(context.rpc, name!, 'pending')
    const data = stockFunction(functionName).encode(features.map(BigInt))
    const change = await changeStock(context, options, stock, data)
    return changeReport(verb, `${features.map(featureName).join(', ')} of ${stock.symbol}`, change)
  }
}
