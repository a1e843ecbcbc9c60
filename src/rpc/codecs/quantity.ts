import { MAX_UINT64, MAX_UINT256, toQuantity } from '../../primitives/quantity.ts'
import { type Codec, describe, InvalidValueError } from './codec.ts'

export const QUANTITY_PATTERN = '^0x(0|[1-9a-fA-F][0-9a-fA-F]*)$'

/** 0 to 2^256 - 1: wei, 256-bit words. */
export const quantity: Codec<bigint> = bounded(MAX_UINT256, 256)

/** 0 to 2^64 - 1: nonces, gas limits, timestamps, chain ids. */
export const quantity64: Codec<bigint> = bounded(MAX_UINT64, 64)

/** Heights, indexes and sizes for lookups. Values above 2^53 are clamped, since nothing has them. */
export const count: Codec<number> = {
  decode: (json) => Number(min(quantity64.decode(json), BigInt(Number.MAX_SAFE_INTEGER))),
  encode: toQuantity,
  schema: quantity64.schema,
}

/** The height of a new block, which must not be clamped. */
export const givenHeight: Codec<number> = {
  decode(json) {
    const value = quantity64.decode(json)
    if (value > BigInt(Number.MAX_SAFE_INTEGER)) {
      throw new InvalidValueError(`block number ${value} is too large, want at most ${Number.MAX_SAFE_INTEGER}`)
    }
    return Number(value)
  },
  encode: toQuantity,
  schema: quantity64.schema,
}

function bounded(max: bigint, bits: number): Codec<bigint> {
  return {
    decode(json) {
      const value = BigInt(checkedQuantity(json))
      if (value > max) throw new InvalidValueError(`hex number > ${bits} bits`)
      return value
    },
    encode: toQuantity,
    schema: { type: 'string', pattern: QUANTITY_PATTERN, title: `unsigned integer of ${bits} bits in hex` },
  }
}

/** Messages as in go-ethereum (common/hexutil). */
function checkedQuantity(json: unknown): string {
  if (typeof json !== 'string') throw new InvalidValueError(`expected a hex number in a string, got ${describe(json)}`)
  if (json === '') throw new InvalidValueError('empty hex string')
  if (!/^0[xX]/.test(json)) throw new InvalidValueError('hex string without 0x prefix')
  if (json.length === 2) throw new InvalidValueError('hex string "0x"')
  if (!/^0[xX][0-9a-fA-F]+$/.test(json)) throw new InvalidValueError('invalid hex string')
  if (json.length > 3 && json[2] === '0') throw new InvalidValueError('hex number with leading zero digits')
  // 64 digits hold 256 bits. `BigInt` of megabytes of digits would take quadratic time.
  if (json.length > 66) throw new InvalidValueError('hex number > 256 bits')
  return json
}

function min(a: bigint, b: bigint): bigint {
  return a < b ? a : b
}

const FLEXIBLE_TITLE = 'a number, or one in hex or decimal in a string'

/** 0 to 2^256 - 1 in any form that Anvil accepts: 100, "100", "0x64", "0x064"; "0x" is 0. */
export const flexibleQuantity: Codec<bigint> = flexible(MAX_UINT256)

/** As `flexibleQuantity`, 0 to 2^64 - 1. */
export const flexibleQuantity64: Codec<bigint> = flexible(MAX_UINT64)

/** As `flexibleQuantity`, 0 to 2^53 - 1. */
export const flexibleNumber: Codec<number> = {
  decode: (json) => Number(decodeFlexible(json, BigInt(Number.MAX_SAFE_INTEGER))),
  encode: (value) => value,
  schema: { title: FLEXIBLE_TITLE, oneOf: [{ type: 'integer', minimum: 0 }, { type: 'string' }] },
}

function flexible(max: bigint): Codec<bigint> {
  return {
    decode: (json) => decodeFlexible(json, max),
    encode: toQuantity,
    schema: { title: FLEXIBLE_TITLE, oneOf: [{ type: 'integer', minimum: 0 }, { type: 'string' }] },
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
