/**
 * Whether the check digit of an ISIN is valid (ISO 6166): Luhn over its characters, where a letter counts as two
 * digits.
 *
 * @example isIsin('US0378331005') // true
 */
export function isIsin(text: string): boolean {
  if (!/^[A-Z]{2}[A-Z0-9]{9}[0-9]$/.test(text)) return false
  const digits = [...text].map((character) => Number.parseInt(character, 36)).join('')
  const sum = [...digits].reverse().reduce((total, digit, index) => {
    const value = Number(digit) * (index % 2 === 0 ? 1 : 2)
    return total + (value > 9 ? value - 9 : value)
  }, 0)
  return sum % 10 === 0
}
