import { formatDecimal } from '../primitives/decimal.ts'
import { MULTIPLIER_DECIMALS } from '../primitives/stocks/split-ratio.ts'

/** Digits of the largest number of 256 bits. Converting millions of digits would take seconds. */
const MAX_DIGITS = 78

/** The number of a JSON-RPC quantity; `undefined` for anything else, since nodes leave members out. */
export function bigintOf(value: unknown): bigint | undefined {
  if (typeof value === 'bigint') return value
  if (typeof value === 'number') return Number.isInteger(value) ? BigInt(value) : undefined
  if (typeof value !== 'string' || value.length > MAX_DIGITS) return undefined
  return /^(?:0x[0-9a-fA-F]+|\d+)$/.test(value) ? BigInt(value) : undefined
}

/** `bigintOf` for heights, indexes and sizes. */
export function numberOf(value: unknown): number | undefined {
  const exact = bigintOf(value)
  return exact === undefined || exact > BigInt(Number.MAX_SAFE_INTEGER) ? undefined : Number(exact)
}

/** A hash of 32 bytes in hex; `undefined` for anything else. */
export function hashIn(value: unknown): string | undefined {
  return typeof value === 'string' && /^0x[0-9a-f]{64}$/i.test(value) ? value : undefined
}

/** The value of a JSON text; `undefined` for another text. */
export function jsonIn(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

/** The members of a JSON object; none of anything else. */
export function objectIn(json: unknown): Readonly<Record<string, unknown>> {
  return json !== null && typeof json === 'object' && !Array.isArray(json) ? (json as Record<string, unknown>) : {}
}

/**
 * Digits in groups of three.
 *
 * @example grouped(1234567n) // '1,234,567'
 */
export function grouped(value: bigint | number): string {
  return String(value).replace(/\B(?=(\d{3})+$)/g, ',')
}

/**
 * `formatDecimal` with its whole digits in groups, also of negative amounts.
 *
 * @example decimalOf(1_500_000n, 6) // '1.5'
 */
export function decimalOf(units: bigint, decimals: number): string {
  const text = groupedDecimal(formatDecimal(units < 0n ? -units : units, decimals))
  return units < 0n ? `-${text}` : text
}

/**
 * An amount with its unit.
 *
 * @example unitText(10n, 1, 'token') // '1 token'
 */
export function unitText(units: bigint, decimals: number, unit: string): string {
  const text = decimalOf(units, decimals)
  return `${text} ${unit}${text === '1' ? '' : 's'}`
}

/** A multiplier in words, such as `1 share per token`. */
export function rateText(multiplier: bigint): string {
  return `${unitText(multiplier, MULTIPLIER_DECIMALS, 'share')} per token`
}

export function etherText(wei: bigint): string {
  return `${decimalOf(wei, 18)} ETH`
}

/** Prices of gas are read in gwei, those of a development chain in wei. */
export function gasPriceText(wei: bigint): string {
  return wei !== 0n && wei < 100_000n ? `${grouped(wei)} wei` : `${decimalOf(wei, 9)} gwei`
}

/**
 * An amount with few digits for narrow places; the exact one belongs beside it.
 *
 * @example compact(12_345_678) // '12.3M'
 */
export function compact(value: number): string {
  const units = ['', 'k', 'M', 'G', 'T'] as const
  let rest = value
  let unit = 0
  while (Math.abs(rest) >= 999.5 && unit < units.length - 1) {
    rest /= 1_000
    unit += 1
  }
  const digits = unit === 0 && Number.isInteger(rest) ? 0 : Math.abs(rest) < 10 ? 2 : Math.abs(rest) < 100 ? 1 : 0
  return `${Number(rest.toFixed(digits))}${units[unit]}`
}

/** Share of a whole in percent, rounded to two decimals, for bars and text. */
export function percentOf(part: bigint, whole: bigint): number {
  return whole === 0n ? 0 : Number((part * 20_000n + whole) / (2n * whole)) / 100
}

/**
 * A span of time in one or two units.
 *
 * @example durationText(95_000) // '1 min 35 s'
 */
export function durationText(milliseconds: number): string {
  const seconds = Math.max(0, Math.round(milliseconds / 1_000))
  if (seconds < 60) return `${seconds} s`
  const parts = [
    [Math.floor(seconds / 86_400), 'd'],
    [Math.floor(seconds / 3_600) % 24, 'h'],
    [Math.floor(seconds / 60) % 60, 'min'],
    [seconds % 60, 's'],
  ] as const
  const first = parts.findIndex(([amount]) => amount > 0)
  return parts
    .slice(first, first + 2)
    .filter(([amount]) => amount > 0)
    .map(([amount, unit]) => `${amount} ${unit}`)
    .join(' ')
}

/** Age of a block: development chains have blocks in the future. */
export function ageText(timestampSeconds: bigint, nowMs: number): string {
  const age = nowMs - Number(timestampSeconds) * 1_000
  return age < -1_000 ? `in ${durationText(-age)}` : `${durationText(age)} ago`
}

/**
 * A timestamp in UTC, as in `2026-01-31 12:00:00 UTC`.
 *
 * @param milliseconds Unix time, of chains with several blocks in a second: `2026-01-31 12:00:00.200 UTC`
 */
export function timeText(timestampSeconds: bigint, milliseconds?: bigint): string {
  const date = new Date(Number(milliseconds ?? timestampSeconds * 1_000n))
  if (Number.isNaN(date.getTime())) return `${timestampSeconds} s`
  return `${date
    .toISOString()
    .slice(0, milliseconds === undefined ? 19 : 23)
    .replace('T', ' ')} UTC`
}

/** The time of day of an event, in UTC with milliseconds. */
export function momentText(atMs: number): string {
  return new Date(atMs).toISOString().slice(11, 23)
}

/** The time of day of `timeText`. */
export function clockText(timestampSeconds: bigint, milliseconds?: bigint): string {
  const text = timeText(timestampSeconds, milliseconds)
  return text.endsWith('UTC') ? text.split(' ')[1]! : text
}

/** Number of bytes in hex. */
export function byteLength(hex: string): number {
  return Math.max(0, (hex.length - 2) >> 1)
}

/**
 * Both ends of a long hex value.
 *
 * @example shortHex('0x1234567890abcdef', 4) // '0x1234…cdef'
 */
export function shortHex(hex: string, digits = 6): string {
  return hex.length <= 2 * digits + 3 ? hex : `${hex.slice(0, 2 + digits)}…${hex.slice(-digits)}`
}

/**
 * A decimal with its whole digits in groups; other texts stay as they are.
 *
 * @example groupedDecimal('1234567.5') // '1,234,567.5'
 */
export function groupedDecimal(text: string): string {
  const [, sign, whole, fraction = ''] = /^(-?)(\d+)(\.\d+)?$/.exec(text) ?? []
  return whole === undefined ? text : `${sign}${grouped(BigInt(whole))}${fraction}`
}
