import { formatDecimal, MULTIPLIER_DECIMALS } from './decimal.ts'
import { StockError } from './stock-error.ts'

/** New shares per old shares: 2 for 1 doubles them, 1 for 4 merges four into one. */
export interface SplitRatio {
  readonly shares: bigint
  readonly before: bigint
}

/** @throws StockError `INVALID_INPUT` unless it is two integers above 0, as in `2:1` */
export function parseSplitRatio(text: string): SplitRatio {
  const [, shares, before] = /^([1-9]\d{0,17}):([1-9]\d{0,17})$/.exec(text) ?? []
  if (shares === undefined || before === undefined) {
    throw new StockError(
      'INVALID_INPUT',
      `a split is NEW:OLD in whole numbers, such as 2:1 for two shares instead of one, or 1:4 to merge four; got ${text}`,
    )
  }
  return { shares: BigInt(shares), before: BigInt(before) }
}

/**
 * The multiplier after a split: the old one times new by old.
 *
 * @param multiplier 18 decimals, as the result
 * @param isRounding rounds down if the exact result has more than 18 decimals
 * @throws StockError `INVALID_INPUT` if it has no exact result
 */
export function splitMultiplier(multiplier: bigint, { shares, before }: SplitRatio, isRounding: boolean): bigint {
  const product = multiplier * shares
  const split = product / before
  if (split === 0n) {
    throw new StockError(
      'INVALID_INPUT',
      `${shares}:${before} of a multiplier of ${shown(multiplier)} is less than the 18 decimals of a multiplier can hold`,
    )
  }
  if (split * before !== product && !isRounding) {
    throw new StockError(
      'INVALID_INPUT',
      `${shares}:${before} of a multiplier of ${shown(multiplier)} has more than 18 decimals: --round takes ${shown(split)}`,
    )
  }
  return split
}

function shown(multiplier: bigint): string {
  return formatDecimal(multiplier, MULTIPLIER_DECIMALS)
}
