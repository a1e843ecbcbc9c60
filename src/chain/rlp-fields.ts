import { type Address, type Bytes, bytesToHex, type Hash } from '../primitives/hex.ts'
import { bytesToBigint } from '../primitives/quantity.ts'
import { RlpError, type RlpItem } from '../primitives/rlp.ts'

/** Items of a list with one of the allowed lengths. Default: any length. */
export function readList(item: RlpItem | undefined, what: string, lengths?: readonly number[]): readonly RlpItem[] {
  if (item === undefined || item instanceof Uint8Array) throw new RlpError(`${what} is a list`)
  if (lengths && !lengths.includes(item.length)) {
    throw new RlpError(`${what} has ${lengths.join(' or ')} members, got ${item.length}`)
  }
  return item
}

/** A string of exactly `length` bytes. Default: any length. */
export function readBytes(item: RlpItem | undefined, what: string, length?: number): Bytes {
  if (!(item instanceof Uint8Array)) throw new RlpError(`${what} is bytes, not a list`)
  if (length !== undefined && item.length !== length) {
    throw new RlpError(`${what} is ${length} bytes, got ${item.length}`)
  }
  return item
}

export function readHash(item: RlpItem | undefined, what: string): Hash {
  return bytesToHex(readBytes(item, what, 32)) as Hash
}

export function readAddress(item: RlpItem | undefined, what: string): Address {
  return bytesToHex(readBytes(item, what, 20)) as Address
}

/** An empty string is `null`: a transaction that creates a contract. */
export function readRecipient(item: RlpItem | undefined, what: string): Address | null {
  return readBytes(item, what).length === 0 ? null : readAddress(item, what)
}

export function readUint256(item: RlpItem | undefined, what: string): bigint {
  return readInteger(item, what, 32)
}

export function readUint64(item: RlpItem | undefined, what: string): bigint {
  return readInteger(item, what, 8)
}

/** A block number or amount of gas used: a safe integer. */
export function readNumber(item: RlpItem | undefined, what: string): number {
  const bytes = readIntegerBytes(item, what, 8)
  const value = smallInteger(bytes)
  if (!Number.isSafeInteger(value)) throw new RlpError(`${what} is above 2^53`)
  return value
}

export function readBoolean(item: RlpItem | undefined, what: string): boolean {
  const value = readInteger(item, what, 1)
  if (value > 1n) throw new RlpError(`${what} is 0 or 1`)
  return value === 1n
}

function readIntegerBytes(item: RlpItem | undefined, what: string, maxBytes: number): Bytes {
  const bytes = readBytes(item, what)
  if (bytes.length > maxBytes) throw new RlpError(`${what} has more than ${8 * maxBytes} bits`)
  if (bytes[0] === 0) throw new RlpError(`non-canonical integer: ${what} has leading zero bytes`)
  return bytes
}

function readInteger(item: RlpItem | undefined, what: string, maxBytes: number): bigint {
  const bytes = readIntegerBytes(item, what, maxBytes)
  return bytes.length <= EXACT_BYTES ? BigInt(smallInteger(bytes)) : bytesToBigint(bytes)
}

/** Integers of up to this many bytes fit a double and are read without going through hex. */
const EXACT_BYTES = 6

function smallInteger(bytes: Bytes): number {
  let value = 0
  for (let index = 0; index < bytes.length; index++) value = value * 256 + bytes[index]!
  return value
}
