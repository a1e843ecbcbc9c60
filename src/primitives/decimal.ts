/**
 * The shortest decimal number of an amount of base units: amount / 10^decimals, exactly.
 *
 * @example formatDecimal(1_000_500_000n, 6) // '1000.5'
 */
export function formatDecimal(amount: bigint, decimals: number): string {
  if (amount < 0n) return `-${formatDecimal(-amount, decimals)}`
  const digits = amount.toString().padStart(decimals + 1, '0')
  const point = digits.length - decimals
  const fraction = digits.slice(point).replace(/0+$/, '')
  return fraction === '' ? digits.slice(0, point) : `${digits.slice(0, point)}.${fraction}`
}

/**
 * The base units of a plain decimal number, without sign, exponent or separators.
 *
 * @returns the number of digits behind the point if there are more than `decimals`; `undefined` for any other text
 * @example decimalUnits('1000.5', 6) // 1_000_500_000n
 */
export function decimalUnits(text: string, decimals: number): bigint | { readonly digits: number } | undefined {
  const [, whole, fraction = ''] = /^(\d+)(?:\.(\d+))?$/.exec(text) ?? []
  if (whole === undefined) return undefined
  const kept = fraction.replace(/0+$/, '')
  return kept.length > decimals ? { digits: kept.length } : BigInt(whole + kept.padEnd(decimals, '0'))
}

/**
 * The double nearest to amount / 10^decimals. Dividing two doubles would round twice; parsing the exact decimal rounds
 * once, to nearest, ties to even (ECMA-262, StringToNumber).
 *
 * @example nearestDouble(2n ** 53n + 1n, 0) // 9007199254740992
 */
export function nearestDouble(amount: bigint, decimals: number): number {
  return Number(formatDecimal(amount, decimals))
}
