import { type Codec, describe, InvalidValueError } from './codec.ts'
import { count } from './quantity.ts'

/** Milliseconds as a JSON number or a hex number: drafts of EIP-7966 have had both. */
export const milliseconds: Codec<number> = numberOrHex('milliseconds, as a number or in hex')

/** `blockCount` of `eth_feeHistory`: a hex number, a JSON number or a decimal string, as in go-ethereum. */
export const blockCount: Codec<number> = {
  ...numberOrHex('blocks, as a number or in hex'),
  decode: (json) => decodeNumber(typeof json === 'string' && /^[0-9]{1,15}$/.test(json) ? Number(json) : json),
}

/** Heights, nonces and sizes of the namespaces that explorers use. */
export const plainNumber: Codec<number> = numberOrHex('number, as a JSON number or in hex')

/** A non-negative integer. */
export const wholeNumber: Codec<number> = {
  decode(json) {
    if (typeof json !== 'number') throw new InvalidValueError(`expected a number, got ${describe(json)}`)
    return decodeNumber(json)
  },
  encode: (value) => value,
  schema: { type: 'integer', minimum: 0 },
}

/** A percentage, fractions allowed. */
export const percentile: Codec<number> = {
  decode(json) {
    if (typeof json !== 'number') throw new InvalidValueError(`expected a number, got ${describe(json)}`)
    return withoutSign(json)
  },
  encode: (value) => value,
  schema: { type: 'number', minimum: 0, maximum: 100 },
}

/** A non-negative integer as a JSON number or a hex number. */
function numberOrHex(title: string): Codec<number> {
  return {
    decode: decodeNumber,
    encode: (value) => value,
    schema: { title, oneOf: [{ type: 'integer', minimum: 0 }, count.schema] },
  }
}

function decodeNumber(json: unknown): number {
  if (typeof json !== 'number') return count.decode(json)
  if (!Number.isSafeInteger(json) || json < 0)
    throw new InvalidValueError('expected a whole number that is not negative')
  return withoutSign(json)
}

/** JSON has a minus zero, which is zero. */
function withoutSign(value: number): number {
  return value === 0 ? 0 : value
}
