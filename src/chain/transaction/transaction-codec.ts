import type { Address, Bytes } from '../../primitives/hex.ts'
import { keccak256, keccakHash } from '../../primitives/keccak.ts'
import { encodeRlp, encodeTypedRlp, RlpError } from '../../primitives/rlp.ts'
import {
  privateKeyToAddress,
  recoverAddress,
  SECP256K1_HALF_ORDER,
  sign,
} from '../../primitives/secp256k1/secp256k1.ts'
import { readDynamicFeeTransaction } from './fast-transaction-reader.ts'
import { impersonatedSignature } from './impersonation.ts'
import {
  DEPOSIT_TYPE,
  type PoolTransaction,
  type RecoveredTransaction,
  type SignedTransaction,
  type Transaction,
} from './transaction.ts'
import { TransactionDecodeError } from './transaction-decode-error.ts'
import { payload, type TransactionFields, type UnsignedTransaction, unsignedPayload } from './transaction-payload.ts'
import { readTransaction } from './transaction-reader.ts'

/**
 * Decodes a transaction from its EIP-2718 bytes, strictly: canonical RLP, every member within its range. Signature
 * recovery and chain rules are not checked here. A blob transaction comes without its sidecar, as in blocks.
 *
 * @throws TransactionDecodeError with go-ethereum's texts where it has one
 * @example recoverTransaction(decodeTransaction(hexToBytes(raw)))
 */
export function decodeTransaction(raw: Bytes): Transaction {
  try {
    // `Object.assign` to the new object: copying all members would take as long as decoding them.
    return Object.assign(readDynamicFeeTransaction(raw) ?? readTransaction(raw), { hash: keccakHash(raw), raw })
  } catch (error) {
    if (error instanceof RlpError) throw new TransactionDecodeError('INVALID_RLP', `rlp: ${error.message}`)
    throw error
  }
}

/** The EIP-2718 bytes of a transaction, as hashed, sent and included in blocks. */
export function encodeTransaction(transaction: TransactionFields): Bytes {
  const list = payload(transaction)
  return transaction.type === 0 ? encodeRlp(list) : encodeTypedRlp(transaction.type, list)
}

/**
 * A transaction with its bytes and hash.
 *
 * @example createTransaction({ type: 0x7e, sourceHash, from, to, mint, value, gasLimit, isSystemTransaction, data })
 */
export function createTransaction<T extends TransactionFields>(
  fields: T,
): T & { readonly raw: Bytes; readonly hash: Transaction['hash'] } {
  const raw = encodeTransaction(fields)
  // Not `{ ...fields, raw }`: in Node 20, each spread copy that gets more members has its own hidden class.
  return Object.assign({}, fields, { hash: keccakHash(raw), raw })
}

/** The hash that the sender signs, 32 bytes. */
export function signingHash(transaction: UnsignedTransaction): Bytes {
  const list = unsignedPayload(transaction)
  return keccak256(transaction.type === 0 ? encodeRlp(list) : encodeTypedRlp(transaction.type, list))
}

/**
 * Recovers the sender of a transaction; a deposit names it.
 *
 * @throws TransactionDecodeError with code INVALID_SIGNATURE when the signature is malleable (EIP-2) or recovers to no
 *   address
 */
export function recoverTransaction(transaction: SignedTransaction): PoolTransaction
export function recoverTransaction(transaction: Transaction): RecoveredTransaction
export function recoverTransaction(transaction: Transaction): RecoveredTransaction {
  if (transaction.type === DEPOSIT_TYPE) return transaction
  const from = isMalleable(transaction) ? undefined : recoverAddress(signingHash(transaction), transaction.signature)
  return withSender(Object.assign({}, transaction), from)
}

/** High `s`: a second valid signature of the same message exists (EIP-2). */
export function isMalleable({ signature }: SignedTransaction): boolean {
  return signature.s > SECP256K1_HALF_ORDER
}

/**
 * Adds the sender to a freshly decoded transaction in place.
 *
 * @param from recovered signer
 * @throws TransactionDecodeError with code INVALID_SIGNATURE when there is none
 */
export function withSender(transaction: SignedTransaction, from: Address | undefined): PoolTransaction {
  if (from === undefined) {
    throw new TransactionDecodeError('INVALID_SIGNATURE', 'invalid sender: invalid transaction v, r, s values')
  }
  return Object.assign(transaction, { from })
}

/**
 * Signs a transaction with `privateKey`.
 *
 * @throws PrivateKeyError when the key is invalid
 * @example signTransaction({ type: 2, chainId, nonce, to, value, data, accessList: [], ...fees }, privateKey).raw
 */
export function signTransaction(unsigned: UnsignedTransaction, privateKey: Bytes): PoolTransaction {
  const signature = sign(signingHash(unsigned), privateKey)
  return { ...createTransaction({ ...unsigned, signature }), from: privateKeyToAddress(privateKey) }
}

/**
 * A transaction of `from` without its signature, as a development node sends it for an impersonated account.
 *
 * @example impersonatedTransaction({ type: 2, chainId, nonce, to, value, data, accessList: [], ...fees }, from).raw
 */
export function impersonatedTransaction(unsigned: UnsignedTransaction, from: Address): PoolTransaction {
  return { ...createTransaction({ ...unsigned, signature: impersonatedSignature(from) }), from }
}

/** An EIP-2718 envelope. */
export function withType(type: number, content: Bytes): Bytes {
  const envelope = new Uint8Array(1 + content.length)
  envelope[0] = type
  envelope.set(content, 1)
  return envelope
}
