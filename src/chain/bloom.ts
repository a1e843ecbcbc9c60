import { type Bytes, type Hex, hexToBytes } from '../primitives/hex.ts'
import { keccak256 } from '../primitives/keccak.ts'
import type { Log } from './log.ts'

export const BLOOM_BYTES = 256

/** The 2048-bit filter of the addresses and topics of logs (yellow paper, 4.3.1). */
export function bloomOf(logs: readonly Log[]): Bytes {
  const bloom = new Uint8Array(BLOOM_BYTES)
  addToBlooms(logs, bloom, bloom)
  return bloom
}

/** Puts the addresses and topics of logs into two filters: that of their receipt, and that of its block. */
export function addToBlooms(logs: readonly Log[], one: Bytes, other: Bytes): void {
  for (const log of logs) {
    add(log.address, one, other)
    for (const topic of log.topics) add(topic, one, other)
  }
}

/**
 * A filter that holds what any of `blooms` holds: a block's from those of its receipts.
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

/** False: no log has this address or topic. True: perhaps one does. */
export function bloomMayContain(bloom: Bytes, addressOrTopic: Hex): boolean {
  return bloomIncludes(bloom, bloomBits(addressOrTopic))
}

/** The places of an address or topic in a filter, to look it up in many. */
export type BloomBits = readonly number[]

/** Of so many addresses and topics the places are kept: the same ones are in nearly all logs. */
const MAX_KNOWN = 4_096
const known = new Map<Hex, BloomBits>()

/** Three bits, each the low 11 bits of a pair of bytes of the hash. */
export function bloomBits(addressOrTopic: Hex): BloomBits {
  let bits = known.get(addressOrTopic)
  if (bits === undefined) {
    bits = hashedBits(addressOrTopic)
    if (known.size >= MAX_KNOWN) known.clear()
    known.set(addressOrTopic, bits)
  }
  return bits
}

function hashedBits(addressOrTopic: Hex): BloomBits {
  const hash = keccak256(hexToBytes(addressOrTopic))
  return [0, 2, 4].map((offset) => ((hash[offset]! << 8) | hash[offset + 1]!) & 0x7ff)
}

/** Whether all bits are set. */
export function bloomIncludes(bloom: Bytes, bits: BloomBits): boolean {
  return bits.every((bit) => (bloom[BLOOM_BYTES - 1 - (bit >> 3)]! & (1 << (bit & 7))) !== 0)
}

function add(value: Hex, one: Bytes, other: Bytes): void {
  for (const bit of bloomBits(value)) {
    const place = BLOOM_BYTES - 1 - (bit >> 3)
    const mask = 1 << (bit & 7)
    one[place]! |= mask
    other[place]! |= mask
  }
}
