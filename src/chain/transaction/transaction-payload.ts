import { type Address, EMPTY_BYTES } from '../../primitives/hex.ts'
import type { RlpSource } from '../../primitives/rlp.ts'
import {
  type AccessList,
  type Authorization,
  DEPOSIT_TYPE,
  type SignedTransaction,
  type Transaction,
} from './transaction.ts'

type Fields<T> = T extends unknown ? Omit<T, 'hash' | 'raw'> : never
type Unsigned<T> = T extends unknown ? Omit<T, 'hash' | 'raw' | 'signature'> : never

const NOTHING: readonly never[] = Object.freeze([])

/** A transaction without its encoding. */
export type TransactionFields = Fields<Transaction>
/** A transaction without its signature. */
export type UnsignedTransaction = Unsigned<SignedTransaction>

/**
 * The message that the sender signs: the members of the RLP list behind the type byte (EIP-155, 2930, 1559, 4844,
 * 7702).
 */
export function unsignedPayload(transaction: UnsignedTransaction): readonly RlpSource[] {
  switch (transaction.type) {
    case 0: {
      const payload = legacyPayload(transaction)
      if (transaction.chainId === undefined) return payload
      return [...payload, transaction.chainId, EMPTY_BYTES, EMPTY_BYTES]
    }
    case 1:
      return [
        transaction.chainId,
        transaction.nonce,
        transaction.gasPrice,
        ...callPayload(transaction),
        accessListItem(transaction.accessList),
      ]
    case 2:
      return dynamicFeePayload(transaction)
    case 3:
      return [...dynamicFeePayload(transaction), transaction.maxFeePerBlobGas, transaction.blobVersionedHashes]
    case 4:
      return [...dynamicFeePayload(transaction), transaction.authorizationList.map(authorizationPayload)]
  }
}

/** The members of the transaction's RLP list, which stands behind the type byte if there is one. */
export function payload(transaction: TransactionFields): readonly RlpSource[] {
  if (transaction.type === DEPOSIT_TYPE) {
    return [
      transaction.sourceHash,
      transaction.from,
      recipient(transaction.to),
      transaction.mint,
      transaction.value,
      transaction.gasLimit,
      transaction.isSystemTransaction ? 1 : 0,
      transaction.data,
    ]
  }
  const { r, s, yParity } = transaction.signature
  if (transaction.type === 0) {
    const base = transaction.chainId === undefined ? 27n : 35n + 2n * transaction.chainId
    return [...legacyPayload(transaction), base + BigInt(yParity), r, s]
  }
  if (transaction.type === 2) {
    // The common type is one literal: concatenating lists allocates three times their size.
    return [
      transaction.chainId,
      transaction.nonce,
      transaction.maxPriorityFeePerGas,
      transaction.maxFeePerGas,
      transaction.gasLimit,
      recipient(transaction.to),
      transaction.value,
      transaction.data,
      accessListItem(transaction.accessList),
      yParity,
      r,
      s,
    ]
  }
  return [...unsignedPayload(transaction), yParity, r, s]
}

function legacyPayload(transaction: Extract<UnsignedTransaction, { type: 0 }>): readonly RlpSource[] {
  return [transaction.nonce, transaction.gasPrice, ...callPayload(transaction)]
}

function dynamicFeePayload(transaction: Extract<UnsignedTransaction, { type: 2 | 3 | 4 }>): readonly RlpSource[] {
  return [
    transaction.chainId,
    transaction.nonce,
    transaction.maxPriorityFeePerGas,
    transaction.maxFeePerGas,
    transaction.gasLimit,
    recipient(transaction.to),
    transaction.value,
    transaction.data,
    accessListItem(transaction.accessList),
  ]
}

function callPayload(transaction: UnsignedTransaction): readonly RlpSource[] {
  return [transaction.gasLimit, recipient(transaction.to), transaction.value, transaction.data]
}

/** An access list as the member of a transaction. */
export function accessListItem(accessList: AccessList): RlpSource {
  return accessList.length === 0 ? NOTHING : accessList.map(({ address, storageKeys }) => [address, storageKeys])
}

function authorizationPayload(authorization: Authorization): RlpSource {
  return [
    authorization.chainId,
    authorization.address,
    authorization.nonce,
    authorization.yParity,
    authorization.r,
    authorization.s,
  ]
}

function recipient(to: Address | null): RlpSource {
  return to === null ? EMPTY_BYTES : to
}
