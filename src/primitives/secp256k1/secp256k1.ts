import { type Address, type Bytes, bytesToHex, type Hash, hexToBytes } from '../hex.ts'
import { keccak256 } from '../keccak.ts'
import { bigintToWord, bytesToBigint } from '../quantity.ts'
import { type CurveImplementation, chooseCurve, FIRST_CURVE_VARIABLE } from './choose-curve.ts'

export interface Signature {
  readonly r: bigint
  readonly s: bigint
  readonly yParity: 0 | 1
}

export class PrivateKeyError extends Error {
  readonly code = 'INVALID_PRIVATE_KEY'
  override readonly name = 'PrivateKeyError'
}

/** Order of the curve's group. */
export const SECP256K1_ORDER = 0xfffffffffffffffffffffffffffffffebaaedce6af48a03bbfd25e8cd0364141n
/** The largest `s` of a signature that is not malleable (EIP-2). */
export const SECP256K1_HALF_ORDER = SECP256K1_ORDER >> 1n

const { curve, implementation } = chooseCurve(process.env[FIRST_CURVE_VARIABLE])

/** The library that recovers and makes signatures in this process. */
export const secp256k1Implementation: CurveImplementation = implementation

/**
 * Recovers the signer. High `s` is accepted: rules that forbid it (EIP-2, EIP-7702) check it themselves, and the
 * ecrecover precompile does not.
 *
 * @param hash 32 bytes, the signed message
 * @returns undefined when `r` or `s` is 0 or not below the group order, or no point has this `r`
 * @example recoverAddress(signingHash(transaction), transaction.signature)
 */
export function recoverAddress(hash: Bytes | Hash, signature: Signature): Address | undefined {
  const { r, s } = signature
  if (r <= 0n || s <= 0n || r >= SECP256K1_ORDER || s >= SECP256K1_ORDER) return undefined
  const compact = new Uint8Array(64)
  compact.set(bigintToWord(r), 0)
  compact.set(bigintToWord(s), 32)
  const account = recoverAccount(toBytes(hash), compact, signature.yParity)
  return account && (bytesToHex(account) as Address)
}

/**
 * Recovers the signer from and to bytes.
 *
 * @param hash 32 bytes, the signed message
 * @param compact `r` and `s`, 32 bytes each
 * @returns the address, 20 bytes
 */
export function recoverAccount(hash: Bytes, compact: Bytes, yParity: 0 | 1): Bytes | undefined {
  if (!isScalar(compact.subarray(0, 32)) || !isScalar(compact.subarray(32))) return undefined
  const publicKey = curve.recover(hash, compact, yParity)
  return publicKey && publicKeyToAccount(publicKey)
}

const ORDER_BYTES = bigintToWord(SECP256K1_ORDER)

/** Whether 0 < word < group order. */
function isScalar(word: Bytes): boolean {
  return Buffer.compare(word, ORDER_BYTES) < 0 && word.some((byte) => byte !== 0)
}

/**
 * A deterministic signature (RFC 6979) with low `s` (EIP-2).
 *
 * @param hash 32 bytes
 * @throws PrivateKeyError unless the key is 32 bytes, not 0 and below the group order
 */
export function sign(hash: Bytes | Hash, privateKey: Bytes): Signature {
  checkPrivateKey(privateKey)
  const { compact, yParity } = curve.sign(toBytes(hash), privateKey)
  return { r: bytesToBigint(compact.subarray(0, 32)), s: bytesToBigint(compact.subarray(32)), yParity }
}

/**
 * The address of a private key.
 *
 * @throws PrivateKeyError unless the key is 32 bytes, not 0 and below the group order
 */
export function privateKeyToAddress(privateKey: Bytes): Address {
  checkPrivateKey(privateKey)
  return bytesToHex(publicKeyToAccount(curve.publicKey(privateKey))) as Address
}

function publicKeyToAccount(uncompressed: Bytes): Bytes {
  return keccak256(uncompressed.subarray(1)).subarray(12)
}

function toBytes(hash: Bytes | Hash): Bytes {
  return typeof hash === 'string' ? hexToBytes(hash) : hash
}

function checkPrivateKey(privateKey: Bytes): void {
  const scalar = privateKey.length === 32 ? bytesToBigint(privateKey) : 0n
  if (scalar === 0n || scalar >= SECP256K1_ORDER) {
    throw new PrivateKeyError('a private key is 32 bytes, not zero and below the order of secp256k1')
  }
}
