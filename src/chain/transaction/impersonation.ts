import type { Address } from '../../primitives/hex.ts'
import type { Signature } from '../../primitives/secp256k1/secp256k1.ts'
import type { SignedTransaction } from './transaction.ts'

const ADDRESS_LIMIT = 1n << 160n
const ADDRESS_DIGITS = 40

/**
 * Replaces the signature of a transaction that a development node sends for an address without its key: `r` and `s` are
 * the address, as in Hardhat. The sender is therefore derived from the bytes, as for every transaction.
 */
export function impersonatedSignature(sender: Address): Signature {
  const word = BigInt(sender)
  return { r: word, s: word, yParity: 0 }
}

/**
 * The sender of an impersonated transaction; `undefined`: the transaction is signed. No real signature has this form:
 * finding one is as hard as breaking secp256k1.
 */
export function impersonatedSender({ signature }: Pick<SignedTransaction, 'signature'>): Address | undefined {
  const { r, s, yParity } = signature
  if (r !== s || yParity !== 0 || r >= ADDRESS_LIMIT) return undefined
  return `0x${r.toString(16).padStart(ADDRESS_DIGITS, '0')}` as Address
}
