import { MAX_UINT64, MAX_UINT256, toQuantity } from '../../primitives/quantity.ts'
import { type Codec, describe, InvalidValueError } from './codec.ts'

const TITLE = 'a number, or one in hex or decimal in a string'

/** 0 to 2^256 - 1 in any form that Anvil accepts: 100, "100", "0x64", "0x064"; "0x" is 0. */
export const flexibleQuantity: Codec<bigint> = flexible(MAX_UINT256)

/** As `flexibleQuantity`, 0 to 2^64 - 1. */
export const flexibleQuantity64: Codec<bigint> = flexible(MAX_UINT64)

/** As `flexibleQuantity`, 0 to 2^53 - 1. */
export const flexibleNumber: Codec<number> = {
  decode: (json) => Number(decodeFlexible(json, BigInt(Number.MAX_SAFE_INTEGER))),
  encode: (value) => value,
  schema: { title: TITLE, oneOf: [{ type: 'integer', minimum: 0 }, { type: 'string' }] },
}

function flexible(max: bigint): Codec<bigint> {
  return {
    decode: (json) => decodeFlexible(json, max),
    encode: toQuantity,
    schema: { title: TITLE, oneOf: [{ type: 'integer', minimum: 0 }, { type: 'string' }] },
  }
}

function decodeFlexible(json: unknown, max: bigint): bigint {
  const value = typeof json === 'number' ? fromNumber(json) : fromText(json)
  if (value > max) throw new InvalidValueError(`number too large, want at most ${max}`)
  return value
}

function fromNumber(json: number): bigint {
  if (!Number.isInteger(json) || json < 0) throw new InvalidValueError('expected a whole number that is not negative')
  return BigInt(json)
}

function fromText(json: unknown): bigint {
  if (typeof json !== 'string') throw new InvalidValueError(`expected a number, got ${describe(json)}`)
  // 80 digits hold 256 bits in decimal; `BigInt` of megabytes of digits would take quadratic time.
  if (json.length > 80 || !/^(0[xX][0-9a-fA-F]*|[0-9]+)$/.test(json)) throw new InvalidValueError('invalid number')
  return /^0[xX]$/.test(json) ? 0n : BigInt(json)
}
