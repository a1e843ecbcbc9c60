import { formatDecimal } from '../../primitives/decimal.ts'

/** Bounds the length of the text; Foundry has the same bound. */
const MAX_UNIT_DECIMALS = 1024

/** A value as text, or a number, which `%x` and the like format. */
export type ConsoleValue = string | bigint

/**
 * Values as `console.log` prints them: the first one may be a template, whose placeholders take the following values;
 * the rest is appended, separated by spaces. `%s` and `%d` are those of Hardhat, the others those of Foundry, with
 * `%18e` for a number of units of 10^18.
 *
 * @example formatConsoleText(['a %s b %d', 'str', 42n]) // 'a str b 42'
 */
export function formatConsoleText([first, ...values]: readonly ConsoleValue[]): string {
  if (first === undefined) return ''
  let used = 0
  const text = String(first).replaceAll(/%([sdixo%]|\d{0,4}e)/g, (placeholder, kind: string) => {
    if (kind === '%') return values.length === 0 ? placeholder : '%'
    if (used === values.length) return placeholder
    return formatValue(kind, values[used++]!)
  })
  return [text, ...values.slice(used).map(String)].join(' ')
}

function formatValue(kind: string, value: ConsoleValue): string {
  if (kind === 'o') return typeof value === 'string' ? `'${value}'` : String(value)
  if (typeof value === 'string' || kind === 's' || kind === 'd' || kind === 'i') return String(value)
  if (kind === 'x') return value < 0n ? `-0x${(-value).toString(16)}` : `0x${value.toString(16)}`
  return kind === 'e'
    ? exponential(value)
    : formatDecimal(value, Math.min(Number.parseInt(kind, 10), MAX_UNIT_DECIMALS))
}

/** @example exponential(1_500n) // '1.5e3' */
function exponential(value: bigint): string {
  const digits = String(value < 0n ? -value : value)
  const fraction = digits.slice(1).replace(/0+$/, '')
  return `${value < 0n ? '-' : ''}${digits[0]}${fraction === '' ? '' : `.${fraction}`}e${digits.length - 1}`
}
