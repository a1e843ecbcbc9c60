/**
 * amount / 10^decimals in decimal notation, exactly.
 *
 * @example exactDecimal(1_500_000n, 6) // '1.5'
 */
export function exactDecimal(amount: bigint, decimals: number): string {
  if (decimals === 0) return amount.toString()
  const digits = amount.toString().padStart(decimals + 1, '0')
  const whole = digits.slice(0, -decimals)
  const fraction = digits.slice(-decimals).replace(/0+$/, '')
  return fraction === '' ? whole : `${whole}.${fraction}`
}

/**
 * The double nearest to amount / 10^decimals. Dividing two doubles would round twice; parsing the exact decimal rounds
 * once, to nearest, ties to even (ECMA-262, StringToNumber).
 *
 * @example nearestDouble(2n ** 53n + 1n, 0) // 9007199254740992
 */
export function nearestDouble(amount: bigint, decimals: number): number {
  return Number(exactDecimal(amount, decimals))
}
