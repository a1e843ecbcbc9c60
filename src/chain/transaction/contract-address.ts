import { type Address, bytesToHex } from '../../primitives/hex.ts'
import { keccak256 } from '../../primitives/keccak.ts'
import { transientRlp } from '../../primitives/rlp-writer.ts'

/**
 * Address of a contract created by CREATE or a creation transaction.
 *
 * @param nonce of `from` before the creation
 * @example createAddress(transaction.from, transaction.nonce)
 */
export function createAddress(from: Address, nonce: bigint): Address {
  return bytesToHex(keccak256(transientRlp([from, nonce], undefined)).subarray(12)) as Address
}
