import { type Bytes, type Hash, hexToBytes } from '../../primitives/hex.ts'
import { keccak256, keccakHash } from '../../primitives/keccak.ts'
import { bigintToWord } from '../../primitives/quantity.ts'

/** Domains that keep the source hashes of different kinds of deposits apart (OP-stack specs: deposits). */
const USER = 0n
const L1_ATTRIBUTES = 1n
const UPGRADE = 2n
const BASE_TIME = 3n

/** Source of a deposit that a user made on layer 1. */
export function userDepositSource(l1BlockHash: Hash, logIndex: bigint): Hash {
  return sourceHash(USER, words(hexToBytes(l1BlockHash), bigintToWord(logIndex)))
}

/** Source of the L1 attributes transaction. @param sequenceNumber blocks since the L1 origin changed */
export function l1AttributesSource(l1BlockHash: Hash, sequenceNumber: bigint): Hash {
  return sourceHash(L1_ATTRIBUTES, words(hexToBytes(l1BlockHash), bigintToWord(sequenceNumber)))
}

/**
 * Source of a transaction of an upgrade.
 *
 * @example upgradeDepositSource('Jovian: L1Block Deployment')
 */
export function upgradeDepositSource(intent: string): Hash {
  return sourceHash(UPGRADE, new TextEncoder().encode(intent))
}

/** Source of the BaseTime transaction of a layer-2 block. */
export function baseTimeSource(blockNumber: bigint): Hash {
  return sourceHash(BASE_TIME, bigintToWord(blockNumber))
}

function sourceHash(domain: bigint, identity: Bytes): Hash {
  return keccakHash(words(bigintToWord(domain), keccak256(identity)))
}

function words(first: Bytes, second: Bytes): Bytes {
  const both = new Uint8Array(first.length + second.length)
  both.set(first)
  both.set(second, first.length)
  return both
}
