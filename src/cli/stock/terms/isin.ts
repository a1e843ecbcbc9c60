import { StockError } from './stock-error.ts'

/**
 * Checks a securities identification number (ISO 6166): country, nine letters or digits, check digit.
 *
 * @throws StockError `INVALID_INPUT` with the expected check digit
 */
export function parseIsin(text: string): string {
  if (!/^[A-Z]{2}[A-Z0-9]{9}\d$/.test(text)) {
    throw new StockError(
      'INVALID_INPUT',
      `an ISIN has 12 characters: two capital letters, nine capital letters or digits, a check digit; got ${text}`,
    )
  }
  const expected = checkDigit(text.slice(0, -1))
  if (text.at(-1) !== expected) {
    throw new StockError('INVALID_INPUT', `the check digit of ISIN ${text} is wrong: ${expected} would be right`)
  }
  return text
}

/** Luhn algorithm, over digits in which A is 10 and Z is 35. */
function checkDigit(body: string): string {
  const digits = [...body].map((character) => Number.parseInt(character, 36)).join('')
  const sum = [...digits].reverse().reduce((total, digit, index) => {
    const value = Number(digit) * (index % 2 === 0 ? 2 : 1)
    return total + (value > 9 ? value - 9 : value)
  }, 0)
  return String((10 - (sum % 10)) % 10)
}
