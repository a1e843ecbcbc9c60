/** `0x` and hex digits. Quantities travel in this form only in `rpc/`, `rest/` and `feed/`. */
export type Hex = `0x${string}`

declare const brand: unique symbol

/** 20 bytes, lowercase hex, so that it can be a map key and compares with `===`. */
export type Address = Hex & { readonly [brand]: 'Address' }
/** 32 bytes, lowercase hex. */
export type Hash = Hex & { readonly [brand]: 'Hash' }
/** A storage key: 32 bytes, lowercase hex. */
export type Slot = Hex & { readonly [brand]: 'Slot' }
export type Bytes = Uint8Array

export class InvalidHexError extends Error {
  readonly code = 'INVALID_HEX'
  override readonly name = 'InvalidHexError'
}

const HEX_BYTES = /^0x(?:[0-9a-fA-F]{2})*$/

/** Whole bytes as hex, any case; no quantity notation. */
export function isHexBytes(value: unknown): value is Hex {
  return typeof value === 'string' && HEX_BYTES.test(value)
}

/**
 * Lowercase hex of bytes.
 *
 * @example bytesToHex(new Uint8Array([1, 171])) // '0x01ab'
 */
export function bytesToHex(bytes: Bytes): Hex {
  return `0x${Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('hex')}`
}

/**
 * The bytes of a hex string with an even number of digits.
 *
 * @throws InvalidHexError when it is anything else
 */
export function hexToBytes(hex: string): Bytes {
  if (!HEX_BYTES.test(hex)) throw new InvalidHexError(`not whole bytes in hex: ${hex.slice(0, 80)}`)
  return Buffer.from(hex.slice(2), 'hex')
}

function fixed(hex: string, length: number, what: string): string {
  if (hex.length !== 2 + 2 * length || !HEX_BYTES.test(hex)) {
    throw new InvalidHexError(`${what} is ${length} bytes in hex, got ${hex.slice(0, 80)}`)
  }
  return hex.toLowerCase()
}

/** @throws InvalidHexError unless it is 20 bytes */
export function toAddress(hex: string): Address {
  return fixed(hex, 20, 'an address') as Address
}

/** @throws InvalidHexError unless it is 32 bytes */
export function toHash(hex: string): Hash {
  return fixed(hex, 32, 'a hash') as Hash
}

/** @throws InvalidHexError unless it is 32 bytes */
export function toSlot(hex: string): Slot {
  return fixed(hex, 32, 'a storage key') as Slot
}

/** @throws InvalidHexError unless there are 20 bytes */
export function bytesToAddress(bytes: Bytes): Address {
  const hex = bytesToHex(bytes)
  return (bytes.length === 20 ? hex : fixed(hex, 20, 'an address')) as Address
}

/** @throws InvalidHexError unless there are 32 bytes */
export function bytesToHash(bytes: Bytes): Hash {
  const hex = bytesToHex(bytes)
  // What is checked of text holds for what was just written.
  return (bytes.length === 32 ? hex : fixed(hex, 32, 'a hash')) as Hash
}

export const ZERO_ADDRESS = `0x${'00'.repeat(20)}` as Address
export const ZERO_HASH = `0x${'00'.repeat(32)}` as Hash
export const EMPTY_BYTES: Bytes = new Uint8Array(0)
