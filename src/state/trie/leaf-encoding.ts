import type { Bytes } from '../../primitives/hex.ts'
import { encodeRlp } from '../../primitives/rlp.ts'
import { compactPath, type Nibbles, nibbleAt } from './nibbles.ts'

/** An account's leaf takes at most 150 bytes, a receipt with a few logs a kilobyte. */
const space = Buffer.alloc(2_048)
const MAX_VALUE = space.length - 64
/** The longest prefix of a list this long. */
const MAX_PREFIX = 3

/**
 * The RLP of a leaf: hex-prefixed path and value (Yellow Paper, appendix D). May be overwritten by the next call: hash
 * or copy it at once. Half of all hashed nodes are leaves, so nothing is allocated.
 */
export function encodeLeafIn(path: Nibbles, value: Bytes): Bytes {
  // The value may lie in the RLP scratch area itself.
  if (value.length > MAX_VALUE || path.length > 64) return encodeRlp([compactPath(path, true), value.slice()])
  let end = writePath(path, MAX_PREFIX)
  end = writeValue(value, end)
  const length = end - MAX_PREFIX
  if (length <= 55) {
    space[2] = 0xc0 + length
    return space.subarray(2, end)
  }
  space[2] = length & 0xff
  if (length <= 0xff) {
    space[1] = 0xf8
    return space.subarray(1, end)
  }
  space[1] = length >> 8
  space[0] = 0xf9
  return space.subarray(0, end)
}

function writePath(path: Nibbles, offset: number): number {
  const isOdd = path.length % 2 === 1
  const length = 1 + (path.length >> 1)
  let to = offset
  if (length > 1) space[to++] = 0x80 + length
  space[to++] = isOdd ? 0x30 + nibbleAt(path, 0) : 0x20
  for (let index = isOdd ? 1 : 0; index < path.length; index += 2) {
    space[to++] = (nibbleAt(path, index) << 4) | nibbleAt(path, index + 1)
  }
  return to
}

function writeValue(value: Bytes, offset: number): number {
  const { length } = value
  let to = offset
  if (length > 0xff) {
    space[to++] = 0xb9
    space[to++] = length >> 8
    space[to++] = length & 0xff
  } else if (length > 55) {
    space[to++] = 0xb8
    space[to++] = length
  } else if (length !== 1 || value[0]! >= 0x80) {
    space[to++] = 0x80 + length
  }
  space.set(value, to)
  return to + length
}
