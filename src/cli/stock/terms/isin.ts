import { hasFormOfIsin, isinCheckDigit } from '../../../primitives/stocks/isin.ts'
import { StockError } from './stock-error.ts'

/**
 * Checks a securities identification number (ISO 6166): country, nine letters or digits, check digit.
 *
 * @throws StockError `INVALID_INPUT` with the expected check digit
 */
export function parseIsin(text: string): string {
  if (!hasFormOfIsin(text)) {
    throw new StockError(
      'INVALID_INPUT',
      `an ISIN has 12 characters: two capital letters, nine capital letters or digits, a check digit; got ${text}`,
    )
  }
  const expected = isinCheckDigit(text)
  if (text.at(-1) !== expected) {
    throw new StockError('INVALID_INPUT', `the check digit of ISIN ${text} is wrong: ${expected} would be right`)
  }
  return text
}
