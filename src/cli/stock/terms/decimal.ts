import { decimalUnits } from '../../../primitives/decimal.ts'
import { MAX_UINT256 } from '../../../primitives/quantity.ts'
import { StockError } from './stock-error.ts'

/**
 * Parses a decimal number to smallest units, exactly.
 *
 * @param what names the number in errors, as in `the amount`
 * @throws StockError `INVALID_INPUT` when it is not a plain decimal number, has more digits than the token or is above
 * 2^256 - 1
 * @example parseDecimal('1000.5', 6, 'the amount') // 1000500000n
 */
export function parseDecimal(text: string, decimals: number, what: string): bigint {
  const units = decimalUnits(text, decimals)
  if (units === undefined) {
    throw invalid(`${what} must be a decimal number such as 1000.5, without sign, exponent or separators; got ${text}`)
  }
  if (typeof units === 'object') {
    throw invalid(`${what} ${text} has ${units.digits} digits behind the point; at most ${decimals} can be kept`)
  }
  if (units > MAX_UINT256) throw invalid(`${what} ${text} is larger than a token can count`)
  return units
}

function invalid(message: string): StockError {
  return new StockError('INVALID_INPUT', message)
}
