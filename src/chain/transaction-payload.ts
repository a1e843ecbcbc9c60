import { type Address, type Bytes, EMPTY_BYTES, hexToBytes } from '../primitives/hex.ts'
import { bigintToBytes } from '../primitives/quantity.ts'
import type { RlpItem } from '../primitives/rlp.ts'
import {
  type AccessList,
  type Authorization,
  DEPOSIT_TYPE,
  type SignedTransaction,
  type Transaction,
} from './transaction.ts'

type Fields<T> = T extends unknown ? Omit<T, 'hash' | 'raw'> : never
type Unsigned<T> = T extends unknown ? Omit<T, 'hash' | 'raw' | 'signature'> : never

/** A transaction before it has bytes. */
export type TransactionFields = Fields<Transaction>
/** A transaction before it has a signature. */
export type UnsignedTransaction = Unsigned<SignedTransaction>

/** What the sender signs: the members of the RLP list behind the type byte (EIP-155, 2930, 1559, 4844, 7702). */
export function unsignedPayload(transaction: UnsignedTransaction): readonly RlpItem[] {
  switch (transaction.type) {
    case 0: {
      const payload = legacyPayload(transaction)
      if (transaction.chainId === undefined) return payload
      return [...payload, bigintToBytes(transaction.chainId), EMPTY_BYTES, EMPTY_BYTES]
    }
    case 1:
      return [
        bigintToBytes(transaction.chainId),
        bigintToBytes(transaction.nonce),
        bigintToBytes(transaction.gasPrice),
        ...callPayload(transaction),
        accessListPayload(transaction.accessList),
      ]
    case 2:
      return dynamicFeePayload(transaction)
    case 3:
      return [
        ...dynamicFeePayload(transaction),
        bigintToBytes(transaction.maxFeePerBlobGas),
        transaction.blobVersionedHashes.map((hash) => hexToBytes(hash)),
      ]
    case 4:
      return [...dynamicFeePayload(transaction), transaction.authorizationList.map(authorizationPayload)]
  }
}

/** The members of the RLP list that is the transaction, or stands behind its type byte. */
export function payload(transaction: TransactionFields): readonly RlpItem[] {
  if (transaction.type === DEPOSIT_TYPE) {
    return [
      hexToBytes(transaction.sourceHash),
      hexToBytes(transaction.from),
      recipient(transaction.to),
      bigintToBytes(transaction.mint),
      bigintToBytes(transaction.value),
      bigintToBytes(transaction.gasLimit),
      bigintToBytes(transaction.isSystemTransaction ? 1n : 0n),
      transaction.data,
    ]
  }
  const { r, s, yParity } = transaction.signature
  if (transaction.type === 0) {
    const base = transaction.chainId === undefined ? 27n : 35n + 2n * transaction.chainId
    return [...legacyPayload(transaction), bigintToBytes(base + BigInt(yParity)), bigintToBytes(r), bigintToBytes(s)]
  }
  return [...unsignedPayload(transaction), bigintToBytes(BigInt(yParity)), bigintToBytes(r), bigintToBytes(s)]
}

function legacyPayload(transaction: Extract<UnsignedTransaction, { type: 0 }>): readonly RlpItem[] {
  return [bigintToBytes(transaction.nonce), bigintToBytes(transaction.gasPrice), ...callPayload(transaction)]
}

function dynamicFeePayload(transaction: Extract<UnsignedTransaction, { type: 2 | 3 | 4 }>): readonly RlpItem[] {
  return [
    bigintToBytes(transaction.chainId),
    bigintToBytes(transaction.nonce),
    bigintToBytes(transaction.maxPriorityFeePerGas),
    bigintToBytes(transaction.maxFeePerGas),
    ...callPayload(transaction),
    accessListPayload(transaction.accessList),
  ]
}

function callPayload(transaction: UnsignedTransaction): readonly RlpItem[] {
  return [
    bigintToBytes(transaction.gasLimit),
    recipient(transaction.to),
    bigintToBytes(transaction.value),
    transaction.data,
  ]
}

function accessListPayload(accessList: AccessList): RlpItem {
  return accessList.map(({ address, storageKeys }) => [hexToBytes(address), storageKeys.map((key) => hexToBytes(key))])
}

function authorizationPayload(authorization: Authorization): RlpItem {
  return [
    bigintToBytes(authorization.chainId),
    hexToBytes(authorization.address),
    bigintToBytes(authorization.nonce),
    bigintToBytes(BigInt(authorization.yParity)),
    bigintToBytes(authorization.r),
    bigintToBytes(authorization.s),
  ]
}

function recipient(to: Address | null): Bytes {
  return to === null ? EMPTY_BYTES : hexToBytes(to)
}
