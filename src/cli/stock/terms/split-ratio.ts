import { formatDecimal } from '../../../primitives/decimal.ts'
import {
  MULTIPLIER_DECIMALS,
  multiplierAfter,
  type SplitRatio,
  splitRatioOf,
} from '../../../primitives/stocks/split-ratio.ts'
import { StockError } from './stock-error.ts'

/** @throws StockError `INVALID_INPUT` unless it is two integers above 0, as in `2:1` */
export function parseSplitRatio(text: string): SplitRatio {
  const ratio = splitRatioOf(text)
  if (ratio === undefined) {
    throw new StockError(
      'INVALID_INPUT',
      `a split is NEW:OLD in whole numbers, such as 2:1 for two shares instead of one, or 1:4 to merge four; got ${text}`,
    )
  }
  return ratio
}

/**
 * The multiplier after a split: the old one times new by old.
 *
 * @param multiplier 18 decimals, as the result
 * @param isRounding rounds down if the exact result has more than 18 decimals
 * @throws StockError `INVALID_INPUT` if it has no exact result
 */
export function splitMultiplier(multiplier: bigint, ratio: SplitRatio, isRounding: boolean): bigint {
  const { multiplier: split, isExact } = multiplierAfter(multiplier, ratio)
  const text = `${ratio.shares}:${ratio.before} of a multiplier of ${shown(multiplier)}`
  if (split === 0n) {
    throw new StockError('INVALID_INPUT', `${text} is less than the 18 decimals of a multiplier can hold`)
  }
  if (!isExact && !isRounding) {
    throw new StockError('INVALID_INPUT', `${text} has more than 18 decimals: --round takes ${shown(split)}`)
  }
  return split
}

function shown(multiplier: bigint): string {
  return formatDecimal(multiplier, MULTIPLIER_DECIMALS)
}
