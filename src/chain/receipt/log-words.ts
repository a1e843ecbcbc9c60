import { type Hex, hexToBytes } from '../../primitives/hex.ts'
import { keccak256 } from '../../primitives/keccak.ts'
import { pushStringWithin } from '../../primitives/rlp-parts.ts'

/** Cached addresses and topics: a few occur in nearly all logs. */
const MAX_CACHED = 4_096
const WORD = 32
/** Bloom bits per value. */
const BITS = 3

const positions = new Map<Hex, number>()
const bytes = new Uint8Array(MAX_CACHED * WORD)
const bits = new Uint16Array(MAX_CACHED * BITS)

/** Position of an address or topic in the cache, valid until the next lookup. */
export function positionOfLogWord(addressOrTopic: Hex): number {
  return positions.get(addressOrTopic) ?? addWord(addressOrTopic)
}

/** The first, second or third bloom bit of a value (Yellow Paper, 4.3.1), 0 to 2047. */
export function bloomBitAt(position: number, index: 0 | 1 | 2): number {
  return bits[BITS * position + index]!
}

/**
 * Pushes an address or topic (`primitives/rlp-parts`).
 *
 * @returns its position in the cache
 */
export function pushLogWord(addressOrTopic: Hex): number {
  const position = positionOfLogWord(addressOrTopic)
  pushStringWithin(bytes, WORD * position, addressOrTopic.length / 2 - 1)
  return position
}

/** Each bit is the low 11 bits of a pair of bytes of the hash. */
function addWord(addressOrTopic: Hex): number {
  const word = hexToBytes(addressOrTopic)
  const hash = keccak256(word)
  if (positions.size >= MAX_CACHED) positions.clear()
  const position = positions.size
  bytes.set(word, WORD * position)
  for (let index = 0; index < BITS; index++) {
    bits[BITS * position + index] = ((hash[2 * index]! << 8) | hash[2 * index + 1]!) & 0x7ff
  }
  positions.set(addressOrTopic, position)
  return position
}
