import { MAX_UINT256 } from '../../../primitives/quantity.ts'
import { StockError } from './stock-error.ts'

/** Multipliers have 18 decimals (ERC-8056). */
export const MULTIPLIER_DECIMALS = 18

/**
 * Parses a decimal number to smallest units, exactly.
 *
 * @param what names the number in errors, as in `the amount`
 * @throws StockError `INVALID_INPUT` when it is not a plain decimal number, has more digits than the token or is above
 * 2^256 - 1
 * @example parseDecimal('1000.5', 6, 'the amount') // 1000500000n
 */
export function parseDecimal(text: string, decimals: number, what: string): bigint {
  const [, whole, fraction = ''] = /^(\d+)(?:\.(\d+))?$/.exec(text) ?? []
  if (whole === undefined) {
    throw invalid(`${what} must be a decimal number such as 1000.5, without sign, exponent or separators; got ${text}`)
  }
  const digits = fraction.replace(/0+$/, '')
  if (digits.length > decimals) {
    throw invalid(`${what} ${text} has ${digits.length} digits behind the point; at most ${decimals} can be kept`)
  }
  const value = BigInt(`${whole}${digits.padEnd(decimals, '0')}`)
  if (value > MAX_UINT256) throw invalid(`${what} ${text} is larger than a token can count`)
  return value
}

/**
 * The shortest decimal number for an amount of smallest units.
 *
 * @example formatDecimal(1000500000n, 6) // '1000.5'
 */
export function formatDecimal(value: bigint, decimals: number): string {
  const digits = value.toString().padStart(decimals + 1, '0')
  const point = digits.length - decimals
  const fraction = digits.slice(point).replace(/0+$/, '')
  return fraction === '' ? digits.slice(0, point) : `${digits.slice(0, point)}.${fraction}`
}

function invalid(message: string): StockError {
  return new StockError('INVALID_INPUT', message)
}
