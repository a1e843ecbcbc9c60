import type { Bytes, Hex } from '../../primitives/hex.ts'
import type { Log } from './log.ts'
import { bloomBitAt, positionOfLogWord } from './log-words.ts'

export const BLOOM_BYTES = 256

/** The 2048-bit bloom of the addresses and topics of logs (Yellow Paper, 4.3.1). */
export function bloomOf(logs: readonly Log[]): Bytes {
  const bloom = new Uint8Array(BLOOM_BYTES)
  addToBlooms(logs, bloom, bloom)
  return bloom
}

/** Adds addresses and topics of logs to two blooms: that of their receipt and that of its block. */
export function addToBlooms(logs: readonly Log[], one: Bytes, other: Bytes): void {
  for (const log of logs) {
    add(log.address, one, other)
    for (const topic of log.topics) add(topic, one, other)
  }
}

/**
 * The union of blooms: a block's from those of its receipts.
 *
 * @example bloomUnion(receipts.map((receipt) => receipt.logsBloom))
 */
export function bloomUnion(blooms: readonly Bytes[]): Bytes {
  const union = new Uint8Array(BLOOM_BYTES)
  for (const bloom of blooms) {
    for (let index = 0; index < BLOOM_BYTES; index++) union[index]! |= bloom[index]!
  }
  return union
}

/** Bit indexes of an address or topic, to test many blooms. */
export type BloomBits = readonly number[]

export function bloomBits(addressOrTopic: Hex): BloomBits {
  const position = positionOfLogWord(addressOrTopic)
  return [bloomBitAt(position, 0), bloomBitAt(position, 1), bloomBitAt(position, 2)]
}

/** Whether all bits are set. */
export function bloomIncludes(bloom: Bytes, bits: BloomBits): boolean {
  return bits.every((bit) => (bloom[BLOOM_BYTES - 1 - (bit >> 3)]! & (1 << (bit & 7))) !== 0)
}

function add(value: Hex, one: Bytes, other: Bytes): void {
  addWordToBlooms(positionOfLogWord(value), one, other)
}

/** Adds an address or topic to two blooms, by its position in the `log-words` cache. */
export function addWordToBlooms(position: number, one: Bytes, other: Bytes): void {
  setBit(bloomBitAt(position, 0), one, other)
  setBit(bloomBitAt(position, 1), one, other)
  setBit(bloomBitAt(position, 2), one, other)
}

function setBit(bit: number, one: Bytes, other: Bytes): void {
  const position = BLOOM_BYTES - 1 - (bit >> 3)
  const mask = 1 << (bit & 7)
  one[position]! |= mask
  other[position]! |= mask
}
