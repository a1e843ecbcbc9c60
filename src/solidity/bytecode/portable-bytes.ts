import type { Bytes, Hex } from '../../primitives/hex.ts'

/**
 * The bytes of hex digits without prefix. `hex.ts` is faster, but does not run in browsers.
 *
 * @returns `undefined` unless these are whole bytes in hex
 */
export function bytesOfDigits(digits: string): Bytes | undefined {
  if (!/^(?:[0-9a-fA-F]{2})*$/.test(digits)) return undefined
  return Uint8Array.from({ length: digits.length / 2 }, (_, at) =>
    Number.parseInt(digits.slice(2 * at, 2 * at + 2), 16),
  )
}

/** Bytes from `start` to `end` as lowercase hex. `hex.ts` is faster, but does not run in browsers. */
export function hexOfBytes(bytes: Bytes, start = 0, end = bytes.length): Hex {
  let digits = ''
  for (let at = start; at < end; at++) digits += bytes[at]!.toString(16).padStart(2, '0')
  return `0x${digits}`
}

/** The unsigned big-endian number in these bytes. */
export function numberOfBytes(bytes: Bytes, start = 0, end = bytes.length): bigint {
  return start >= end ? 0n : BigInt(hexOfBytes(bytes, start, Math.min(end, bytes.length)))
}

export function areSameBytes(one: Bytes, other: Bytes): boolean {
  return one.length === other.length && one.every((byte, at) => byte === other[at])
}
