/** Whether the text has the form of a securities identification number (ISO 6166), whatever its check digit. */
export function hasFormOfIsin(text: string): boolean {
  return /^[A-Z]{2}[A-Z0-9]{9}[0-9]$/.test(text)
}

/**
 * The check digit of an ISIN: Luhn over its first eleven characters, where a letter counts as two digits.
 *
 * @example isinCheckDigit('US0378331005') // '5'
 */
export function isinCheckDigit(isin: string): string {
  const digits = [...isin.slice(0, 11)].map((character) => Number.parseInt(character, 36)).join('')
  const sum = [...digits].reverse().reduce((total, digit, index) => {
    const value = Number(digit) * (index % 2 === 0 ? 2 : 1)
    return total + (value > 9 ? value - 9 : value)
  }, 0)
  return String((10 - (sum % 10)) % 10)
}

/** @example isIsin('US0378331005') // true */
export function isIsin(text: string): boolean {
  return hasFormOfIsin(text) && text.at(-1) === isinCheckDigit(text)
}
