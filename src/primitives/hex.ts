/** `0x` and hex digits. Quantities have this form only in `rpc/`, `rest/` and `feed/`. */
export type Hex = `0x${string}`

declare const brand: unique symbol

/** 20 bytes as lowercase hex, so that it works as a map key and compares with `===`. */
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

/** Whole bytes as hex, in any case; not a quantity. */
export function isHexBytes(value: unknown): value is Hex {
  return typeof value === 'string' && HEX_BYTES.test(value)
}

/**
 * Lowercase hex of bytes.
 *
 * @example bytesToHex(new Uint8Array([1, 171])) // '0x01ab'
 */
export function bytesToHex(bytes: Bytes): Hex {
  return hexWithin(bytes, 0, bytes.length)
}

/**
 * Up to this length the hex is built here, prefix included: prepending a prefix to a string from the runtime makes V8
 * copy it.
 */
const SHORT_HEX = 64
const pairs = new Uint16Array(1 + SHORT_HEX)
const text = Buffer.from(pairs.buffer)
text.write('0x', 'latin1')
/** The two hex digits of each byte, in memory order. */
const DIGIT_PAIRS = new Uint16Array(256)
Buffer.from(DIGIT_PAIRS.buffer).write(
  Array.from(DIGIT_PAIRS, (_, byte) => byte.toString(16).padStart(2, '0')).join(''),
  'latin1',
)

/** Lowercase hex of a range of bytes. */
export function hexWithin(bytes: Bytes, start: number, end: number): Hex {
  const length = end - start
  if (length > SHORT_HEX) {
    return `0x${Buffer.from(bytes.buffer, bytes.byteOffset + start, length).toString('hex')}`
  }
  for (let index = 0; index < length; index++) pairs[1 + index] = DIGIT_PAIRS[bytes[start + index]!]!
  return text.toString('latin1', 0, 2 + 2 * length) as Hex
}

/**
 * Words, addresses and typical call data: parsed here, they take half the time of a regular expression and a runtime
 * call.
 */
const SHORT = 128
/** A bit that no digit value has. */
export const INVALID_DIGIT = 0x10
/** Value of a hex digit by character code, up to 127. */
export const DIGITS = Uint8Array.from({ length: 128 }, (_, code) => {
  const value = Number.parseInt(String.fromCharCode(code), 16)
  return Number.isNaN(value) ? INVALID_DIGIT : value
})

/**
 * The bytes of a hex string with an even number of digits.
 *
 * @throws InvalidHexError for anything else
 */
export function hexToBytes(hex: string): Bytes {
  const bytes = bytesIn(hex)
  if (bytes === undefined) throw new InvalidHexError(`not whole bytes in hex: ${hex.slice(0, 80)}`)
  return bytes
}

/** As `hexToBytes`, but `undefined` for anything else. */
export function bytesIn(hex: string): Bytes | undefined {
  const length = hex.length / 2 - 1
  return length <= SHORT && Number.isInteger(length) ? shortBytes(hex, length) : longBytes(hex)
}

function shortBytes(hex: string, length: number): Bytes | undefined {
  if (!hex.startsWith('0x')) return undefined
  const bytes = Buffer.allocUnsafe(length)
  let digits = 0
  for (let index = 0; index < length; index++) {
    const high = DIGITS[hex.charCodeAt(2 + 2 * index)] ?? INVALID_DIGIT
    const low = DIGITS[hex.charCodeAt(3 + 2 * index)] ?? INVALID_DIGIT
    digits |= high | low
    bytes[index] = (high << 4) | low
  }
  return digits < INVALID_DIGIT ? bytes : undefined
}

function longBytes(hex: string): Bytes | undefined {
  return HEX_BYTES.test(hex) ? Buffer.from(hex.slice(2), 'hex') : undefined
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

/** A hash as a storage key. Both are 32 bytes in lowercase hex: the types differ so that they are not mixed up. */
export function slotOfHash(hash: Hash): Slot {
  return hash as Hex as Slot
}

/** @throws InvalidHexError unless there are 20 bytes */
export function bytesToAddress(bytes: Bytes): Address {
  const hex = bytesToHex(bytes)
  return (bytes.length === 20 ? hex : fixed(hex, 20, 'an address')) as Address
}

/** @throws InvalidHexError unless there are 32 bytes */
export function bytesToHash(bytes: Bytes): Hash {
  const hex = bytesToHex(bytes)
  // Text that was just produced needs no validation beyond its length.
  return (bytes.length === 32 ? hex : fixed(hex, 32, 'a hash')) as Hash
}

// Produced like all other addresses: V8 keeps a concatenated string as a rope, which is slower to read.
export const ZERO_ADDRESS = bytesToHex(new Uint8Array(20)) as Address
export const ZERO_HASH = bytesToHex(new Uint8Array(32)) as Hash
export const EMPTY_BYTES: Bytes = new Uint8Array(0)
