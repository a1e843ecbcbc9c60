import type { Address, Bytes } from '../../primitives/hex.ts'
import { keccak256, keccakHash } from '../../primitives/keccak.ts'
import { encodeRlp, encodeTypedRlp, RlpError } from '../../primitives/rlp.ts'
import { privateKeyToAddress, recoverAddress, SECP256K1_HALF_ORDER, sign } from '../../primitives/secp256k1.ts'
import { readDynamicFeeTransaction } from './fast-transaction-reader.ts'
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
 * A transaction from its EIP-2718 bytes, strictly: canonical RLP, every member within its size. Whether the
 * signature recovers to a sender and whether the chain takes it are other questions. A blob transaction comes
 * without its sidecar, as blocks hold it.
 *
 * @throws TransactionDecodeError with go-ethereum's texts where it has some (spec-facts 8.3)
 * @example recoverTransaction(decodeTransaction(hexToBytes(raw)))
 */
export function decodeTransaction(raw: Bytes): Transaction {
  try {
    // Added to what was just made: a copy of all members takes as long as reading them.
    return Object.assign(readDynamicFeeTransaction(raw) ?? readTransaction(raw), { hash: keccakHash(raw), raw })
  } catch (error) {
    if (error instanceof RlpError) throw new TransactionDecodeError('INVALID_RLP', `rlp: ${error.message}`)
    throw error
  }
}

/** The EIP-2718 bytes of a transaction, as they are hashed, sent and put into blocks. */
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
  // Not `{ ...fields, raw }`: each copy that members are added to has a hidden class of its own in Node 20.
  return Object.assign({}, fields, { hash: keccakHash(raw), raw })
}

/** What the sender signs: 32 bytes. */
export function signingHash(transaction: UnsignedTransaction): Bytes {
  const list = unsignedPayload(transaction)
  return keccak256(transaction.type === 0 ? encodeRlp(list) : encodeTypedRlp(transaction.type, list))
}

/**
 * The transaction with its sender; a deposit names it already.
 *
 * @throws TransactionDecodeError with code INVALID_SIGNATURE when the signature is malleable (EIP-2) or nobody's
 */
export function recoverTransaction(transaction: SignedTransaction): PoolTransaction
export function recoverTransaction(transaction: Transaction): RecoveredTransaction
export function recoverTransaction(transaction: Transaction): RecoveredTransaction {
  if (transaction.type === DEPOSIT_TYPE) return transaction
  const from = isMalleable(transaction) ? undefined : recoverAddress(signingHash(transaction), transaction.signature)
  return withSender(Object.assign({}, transaction), from)
}

/** The same signature with another `s` would be as good, and another transaction (EIP-2). */
export function isMalleable({ signature }: SignedTransaction): boolean {
  return signature.s > SECP256K1_HALF_ORDER
}

/**
 * Completes a transaction that was decoded and that nobody else has yet; the same object.
 *
 * @param from who signed, as recovered from the signature
 * @throws TransactionDecodeError with code INVALID_SIGNATURE when that is nobody
 */
export function withSender(transaction: SignedTransaction, from: Address | undefined): PoolTransaction {
  if (from === undefined) {
    throw new TransactionDecodeError('INVALID_SIGNATURE', 'invalid sender: invalid transaction v, r, s values')
  }
  return Object.assign(transaction, { from })
}

/**
 * A transaction signed by the account of `privateKey`.
 *
 * @throws PrivateKeyError when the key is none
 * @example signTransaction({ type: 2, chainId, nonce, to, value, data, accessList: [], ...fees }, privateKey).raw
 */
export function signTransaction(unsigned: UnsignedTransaction, privateKey: Bytes): PoolTransaction {
  const signature = sign(signingHash(unsigned), privateKey)
  return { ...createTransaction({ ...unsigned, signature }), from: privateKeyToAddress(privateKey) }
}

/** An EIP-2718 envelope. */
export function withType(type: number, content: Bytes): Bytes {
  const envelope = new Uint8Array(1 + content.length)
  envelope[0] = type
  envelope.set(content, 1)
  return envelope
}
