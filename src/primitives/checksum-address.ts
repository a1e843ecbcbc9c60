import type { Address, Hex } from './hex.ts'
import { keccakHash } from './keccak.ts'

/**
 * An address with its EIP-55 checksum, for text read by people.
 *
 * @example checksumAddress(toAddress('0xfb6916095ca1df60bb79ce92ce3ea74c37c5d359')) //
 *   '0xfB6916095ca1df60bB79Ce92cE3Ea74c37c5d359'
 */
export function checksumAddress(address: Address): Hex {
  const digits = address.slice(2)
  const hash = keccakHash(Buffer.from(digits, 'ascii')).slice(2)
  const cased = [...digits].map((digit, index) => (hash[index]! >= '8' ? digit.toUpperCase() : digit))
  return `0x${cased.join('')}`
}
