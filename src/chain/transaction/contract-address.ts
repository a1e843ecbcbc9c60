import { type Address, type Bytes, bytesToHex, type Hash, hexToBytes } from '../../primitives/hex.ts'
import { keccak256 } from '../../primitives/keccak.ts'
import { transientRlp } from '../../primitives/rlp-writer.ts'

/**
 * Address of a contract created by CREATE or a creation transaction.
 *
 * @param nonce of `from` before the creation
 * @example createAddress(transaction.from, transaction.nonce)
 */
export function createAddress(from: Address, nonce: bigint): Address {
  return lastTwentyBytes(keccak256(transientRlp([from, nonce], undefined)))
}

/** Address of a contract created by CREATE2 (EIP-1014); `salt` is 32 bytes. */
export function create2Address(from: Address, salt: Bytes | Hash, initCodeHash: Bytes | Hash): Address {
  const preimage = new Uint8Array(85)
  preimage[0] = 0xff
  preimage.set(hexToBytes(from), 1)
  preimage.set(word(salt), 21)
  preimage.set(word(initCodeHash), 53)
  return lastTwentyBytes(keccak256(preimage))
}

function lastTwentyBytes(hash: Bytes): Address {
  return bytesToHex(hash.subarray(12)) as Address
}

function word(value: Bytes | Hash): Bytes {
  return typeof value === 'string' ? hexToBytes(value) : value
}
