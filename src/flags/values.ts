import { type Address, toAddress } from '../primitives/hex.ts'
import { FlagValueError } from './flag.ts'

/** Parser of an integer flag within bounds. */
export function integer(minimum: number, maximum = Number.MAX_SAFE_INTEGER): (text: string) => number {
  return (text) => {
    const value = Number(text)
    if (!/^\d+$/.test(text) || value < minimum || value > maximum) {
      throw new FlagValueError(`a whole number from ${minimum} to ${maximum} is required.`)
    }
    return value
  }
}

/** Parser of an integer flag that may exceed 2^53, within bounds. */
export function bigInteger(minimum: bigint, maximum: bigint): (text: string) => bigint {
  return (text) => {
    const value = /^\d+$/.test(text) ? BigInt(text) : -1n
    if (value < minimum || value > maximum) {
      throw new FlagValueError(`a whole number from ${minimum} to ${maximum} is required.`)
    }
    return value
  }
}

/** Parser of a share between 0 and 1, both excluded. */
export function share(text: string): number {
  const value = Number(text)
  if (!(value > 0 && value < 1)) throw new FlagValueError('a number between 0 and 1 is required.')
  return value
}

/** Parser of a ratio from 0 to 1. */
export function ratio(text: string): number {
  const value = Number(text)
  if (text.trim() === '' || !(value >= 0 && value <= 1)) throw new FlagValueError('a number from 0 to 1 is required.')
  return value
}

/** Parser of a comma-separated list. */
export function commaSeparated(text: string): readonly string[] {
  return text
    .split(',')
    .map((item) => item.trim())
    .filter((item) => item !== '')
}

/** Parser of a number of blocks, or `all`. */
export function blocksOrAll(text: string): number | 'all' {
  return text === 'all' ? text : integer(1)(text)
}

/** Parser of an address, in any case of letters. */
export function accountAddress(text: string): Address {
  if (!/^0x[0-9a-fA-F]{40}$/.test(text)) throw new FlagValueError('an address is required: 0x and 40 hex digits.')
  return toAddress(text)
}

/** Parser of an HTTP URL. */
export function httpUrl(text: string): string {
  const url = URL.canParse(text) ? new URL(text) : undefined
  if (url?.protocol !== 'http:' && url?.protocol !== 'https:') {
    throw new FlagValueError('a URL that begins with http:// or https:// is required.')
  }
  return text
}
