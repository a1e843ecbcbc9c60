import type { Bytes } from '../../primitives/hex.ts'
import { encodeRlp } from '../../primitives/rlp.ts'
import { compactPath, type Nibbles, nibbleAt } from './nibbles.ts'

/** An account's leaf takes at most 150 bytes. */
const space = Buffer.alloc(256)
const MAX_VALUE = space.length - 64

/**
 * The RLP of a leaf: hex-prefixed path and value (yellow paper, appendix D). It may lie in memory that the next call
 * writes to: for bytes that are hashed or copied at once. Half of what is hashed are leaves, so nothing is made on the way.
 */
export function encodeLeafIn(path: Nibbles, value: Bytes): Bytes {
  if (value.length > MAX_VALUE || path.length > 64) return encodeRlp([compactPath(path, true), value])
  // The prefix of the list is at most two bytes long: the content begins behind it.
  let end = writePath(path, 2)
  end = writeValue(value, end)
  const length = end - 2
  if (length <= 55) {
    space[1] = 0xc0 + length
    return space.subarray(1, end)
  }
  space[0] = 0xf8
  space[1] = length
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
  if (length > 55) {
    space[to++] = 0xb8
    space[to++] = length
  } else if (length !== 1 || value[0]! >= 0x80) {
    space[to++] = 0x80 + length
  }
  space.set(value, to)
  return to + length
}
