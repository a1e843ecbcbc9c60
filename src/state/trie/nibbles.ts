import type { Bytes } from '../../primitives/hex.ts'

/**
 * A path in a trie: one lowercase hex digit per nibble, no prefix. Strings compare in trie order, share memory when
 * sliced and work as map keys.
 */
export type Nibbles = string

/** The digit of each value, 0 to 15. */
export const HEX_DIGITS = '0123456789abcdef'

/** The nibble at a position, 0 to 15. */
export function nibbleAt(path: Nibbles, position: number): number {
  const code = path.charCodeAt(position)
  return code < 58 ? code - 48 : code - 87
}

export function bytesToNibbles(bytes: Bytes, start = 0, end = bytes.length): Nibbles {
  const buffer = bytes instanceof Buffer ? bytes : Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength)
  return buffer.toString('hex', start, end)
}

/** Length of the common prefix of `a` from `fromA` and `b` from `fromB`, in nibbles. */
export function commonPrefix(a: Nibbles, fromA: number, b: Nibbles, fromB: number): number {
  const limit = Math.min(a.length - fromA, b.length - fromB)
  let length = 0
  while (length < limit && a.charCodeAt(fromA + length) === b.charCodeAt(fromB + length)) length++
  return length
}

/** Hex-prefix encoding (Yellow Paper, appendix C): the first nibble encodes the node kind and parity. */
export function compactPath(path: Nibbles, isLeaf: boolean): Bytes {
  const isOdd = path.length % 2 === 1
  const bytes = new Uint8Array(1 + (path.length >> 1))
  bytes[0] = (isLeaf ? 0x20 : 0) + (isOdd ? 0x10 + nibbleAt(path, 0) : 0)
  for (let index = 1, from = isOdd ? 1 : 0; index < bytes.length; index++, from += 2) {
    bytes[index] = (nibbleAt(path, from) << 4) | nibbleAt(path, from + 1)
  }
  return bytes
}

/** Inverse of `compactPath`. */
export function decodeCompactPath(bytes: Bytes, start: number, end: number): Nibbles {
  return bytesToNibbles(bytes, start, end).slice((bytes[start]! & 0x10) === 0 ? 2 : 1)
}

/** Whether a compact path with this first byte belongs to a leaf. */
export function isLeafPath(first: number): boolean {
  return (first & 0x20) !== 0
}
