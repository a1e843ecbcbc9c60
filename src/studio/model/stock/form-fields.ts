import { decimalOf } from '../../../live/amount.ts'
import { decimalUnits } from '../../../primitives/decimal.ts'
import { MULTIPLIER_DECIMALS, multiplierAfter, splitRatioOf } from '../../../primitives/stocks/split-ratio.ts'
import { NO_CAP, PAUSABLE_FEATURES } from './stock-contract.ts'

/** A field of a form. */
export interface StockField {
  readonly label: string
  readonly placeholder?: string
  readonly initial?: string
  /** The texts to choose from; any text without. */
  readonly choices?: readonly string[]
}

/** The text, or a word for it while the field is empty. */
export function given(text: string, word: string): string {
  return text === '' ? `<${word}>` : text
}

const MAX_UNITS = 2n ** 256n

/** Base units of a decimal. @throws Error that says what to write */
export function unitsFrom(text: string, decimals: number): bigint {
  const units = decimalUnits(text.trim(), decimals)
  if (units === undefined) throw new Error('Write an amount of tokens, as in 1000.5, without separators.')
  if (typeof units === 'object') throw new Error(`This stock has ${decimals} digits behind the point, not more.`)
  if (units === 0n || units >= MAX_UNITS) throw new Error('Write an amount above 0 that a token can count.')
  return units
}

/** The multiplier after a split. @throws Error that says what to write */
export function multiplierBySplit(multiplier: bigint, text: string): bigint {
  const ratio = splitRatioOf(text.replaceAll(/\s/g, ''))
  if (ratio === undefined) {
    throw new Error('Write new and old shares as whole numbers, as in 2:1, or 1:4 to merge four into one.')
  }
  const after = multiplierAfter(multiplier, ratio)
  if (!after.isExact) {
    throw new Error(
      `${text} of ${decimalOf(multiplier, MULTIPLIER_DECIMALS)} has more than 18 decimals: choose another ratio.`,
    )
  }
  return after.multiplier
}

const SECONDS: Readonly<Record<string, bigint>> = { s: 1n, m: 60n, h: 3_600n, d: 86_400n }

/** @throws Error that says what to write */
export function secondsFrom(text: string): bigint {
  const [, count, unit] = /^([1-9]\d{0,8})([smhd])$/.exec(text.trim()) ?? []
  if (count === undefined || unit === undefined) {
    throw new Error('Write a whole number and one of s, m, h, d, as in 90s or 2m; nothing for a split at once.')
  }
  return BigInt(count) * SECONDS[unit]!
}

/** Ordinals of a feature, or of `all`. */
export function ordinalsOf(feature: string): readonly number[] {
  return PAUSABLE_FEATURES.flatMap((name, ordinal) => (feature === name || feature === 'all' ? [ordinal] : []))
}

/** Base units of a cap; `none` or an empty text is no cap. @throws Error that says what to write */
export function capFrom(text: string, decimals: number): bigint {
  const trimmed = text.trim()
  if (trimmed === '' || trimmed === 'none') return NO_CAP
  const cap = unitsFrom(trimmed, decimals)
  if (cap >= NO_CAP) throw new Error('Write a smaller cap, or none.')
  return cap
}

/** 32 bytes with the text at their beginning. @throws Error that says what to write */
export function memoFrom(text: string): `0x${string}` {
  const bytes = new TextEncoder().encode(text)
  if (bytes.length > 32) throw new Error('Write a memo of at most 32 bytes.')
  const digits = [...bytes].map((byte) => byte.toString(16).padStart(2, '0')).join('')
  return `0x${digits.padEnd(64, '0')}`
}

/** A cap in words. */
export function capText(cap: bigint | undefined, decimals: number): string {
  return cap === undefined || cap === NO_CAP ? 'none' : `${decimalOf(cap, decimals)} tokens`
}
