import type { LogQuery } from '../chain/log-query.ts'
import { type Bytes, hexToBytes } from '../primitives/hex.ts'
import { keccak256 } from '../primitives/keccak.ts'

/** Whether a 256-byte bloom filter allows for matching logs; `false` is certain. */
export type BloomTest = (bloom: Bytes) => boolean

/**
 * Prepares a query for many bloom filters: each address and topic is hashed once.
 *
 * @example blocks.filter(({ header }) => bloomTest(query)(header.logsBloom))
 */
export function bloomTest(query: LogQuery): BloomTest {
  const criteria = [query.addresses, ...query.topics].filter((wanted) => wanted.length > 0)
  const masks = criteria.map((wanted) => wanted.map(bitsOf))
  return (bloom) => masks.every((wanted) => wanted.some((bits) => bits.every((bit) => isSet(bloom, bit))))
}

/** The three bits of an item: the low 11 bits of the first three pairs of its keccak-256 (yellow paper, 4.3.1). */
function bitsOf(item: string): readonly number[] {
  const hash = keccak256(hexToBytes(item))
  return [0, 2, 4].map((offset) => ((hash[offset]! << 8) | hash[offset + 1]!) & 2047)
}

function isSet(bloom: Bytes, bit: number): boolean {
  return ((bloom[255 - (bit >> 3)]! >> (bit & 7)) & 1) === 1
}
