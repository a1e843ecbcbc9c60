import { keccak_256 } from '@noble/hashes/sha3.js'
import { type Bytes, bytesToHex, type Hash } from './hex.ts'

/** keccak-256, 32 bytes. */
export function keccak256(data: Bytes): Bytes {
  return keccak_256(data)
}

/** keccak-256 as a map key. */
export function keccakHash(data: Bytes): Hash {
  return bytesToHex(keccak_256(data)) as Hash
}

/** keccak-256 of no bytes: the code hash of an account without code. */
export const EMPTY_CODE_HASH = keccakHash(new Uint8Array(0))
