import {
  type Address,
  type Bytes,
  bytesIn,
  bytesToHex,
  type Hash,
  type Hex,
  hexToBytes,
  isHexBytes,
  toAddress,
  toHash,
} from '../../primitives/hex.ts'
import { type Codec, describe, InvalidValueError } from './codec.ts'

/** Bytes of any length. */
export const data: Codec<Bytes> = {
  decode: (json) => (typeof json === 'string' ? bytesIn(json) : undefined) ?? hexToBytes(checkedHex(json)),
  encode: bytesToHex,
  schema: { type: 'string', pattern: '^0x([0-9a-fA-F]{2})*$', title: 'bytes in hex' },
}

export const hash: Codec<Hash> = {
  decode: (json) => (usualHex(json, 32) as Hash | undefined) ?? toHash(fixedHex(json, 32)),
  encode: (value) => value,
  schema: { type: 'string', pattern: '^0x[0-9a-fA-F]{64}$', title: '32 bytes in hex' },
}

export const address: Codec<Address> = {
  decode: (json) => (usualHex(json, 20) as Address | undefined) ?? toAddress(fixedHex(json, 20)),
  encode: (value) => value,
  schema: { type: 'string', pattern: '^0x[0-9a-fA-F]{40}$', title: '20 bytes in hex' },
}

const LOWERCASE = /^0x[0-9a-f]*$/

/** Fast path for lower-case hex; `undefined`: another valid form, or invalid. */
function usualHex(json: unknown, length: number): Hex | undefined {
  if (typeof json !== 'string' || json.length !== 2 + 2 * length) return undefined
  if (LOWERCASE.test(json)) return json as Hex
  return isHexBytes(json) ? (json.toLowerCase() as Hex) : undefined
}

/** Messages as in go-ethereum (common/hexutil). */
function checkedHex(json: unknown): string {
  if (typeof json !== 'string') throw new InvalidValueError(`expected hex in a string, got ${describe(json)}`)
  if (json === '') throw new InvalidValueError('empty hex string')
  if (!/^0[xX]/.test(json)) throw new InvalidValueError('hex string without 0x prefix')
  if (json.length % 2 === 1) throw new InvalidValueError('hex string of odd length')
  if (!/^[0-9a-fA-F]*$/.test(json.slice(2))) throw new InvalidValueError('invalid hex string')
  return `0x${json.slice(2)}`
}

function fixedHex(json: unknown, length: number): string {
  const hex = checkedHex(json)
  if (hex.length !== 2 + 2 * length) {
    throw new InvalidValueError(`hex string has length ${hex.length - 2}, want ${2 * length} for ${length} bytes`)
  }
  return hex
}
