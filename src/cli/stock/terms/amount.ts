import { formatDecimal } from '../../../primitives/decimal.ts'
import { parseDecimal } from './decimal.ts'
import { StockError } from './stock-error.ts'

/** The unit in which an amount is given. */
interface AmountUnit {
  readonly symbol: string
  readonly decimals: number
}

/**
 * An amount above 0 in smallest units.
 *
 * @throws StockError `INVALID_INPUT`
 */
export function parseAmount(text: string, { decimals }: Pick<AmountUnit, 'decimals'>): bigint {
  const amount = parseDecimal(text, decimals, 'the amount')
  if (amount === 0n) throw new StockError('INVALID_INPUT', 'the amount is 0: nothing would change')
  return amount
}

/** @example amountText(1500000n, { symbol: 'MRDTLd', decimals: 6 }) // '1.5 MRDTLd' */
export function amountText(amount: bigint, { symbol, decimals }: AmountUnit): string {
  return `${formatDecimal(amount, decimals)} ${symbol}`
}
