import type { Address } from '../../primitives/hex.ts'
import type { Signature } from '../../primitives/secp256k1.ts'
import type { SignedTransaction } from './transaction.ts'

const ADDRESS_LIMIT = 1n << 160n
const ADDRESS_DIGITS = 40

/**
 * What stands in place of a signature when a development node sends for an address whose key it does not have: `r` and
 * `s` are the address, as in Hardhat. The sender therefore derives from the bytes, as for every transaction.
 */
export function impersonatedSignature(sender: Address): Signature {
  const word = BigInt(sender)
  return { r: word, s: word, yParity: 0 }
}

/**
 * The sender of a transaction that was sent by impersonation; `undefined`: it is signed. Nobody can find a signature of
 * this form for a transaction, so that one never stands for the other.
 */
export function impersonatedSender({ signature }: Pick<SignedTransaction, 'signature'>): Address | undefined {
  const { r, s, yParity } = signature
  if (r !== s || yParity !== 0 || r >= ADDRESS_LIMIT) return undefined
  return `0x${r.toString(16).padStart(ADDRESS_DIGITS, '0')}` as Address
}
