import { readAddress, readBytes, readList } from '../../chain/rlp-fields.ts'
import { BLOB_TYPE } from '../../chain/transaction/blob-sidecar.ts'
import { decodeWaitingTransaction, encodeWaitingTransaction } from '../../chain/transaction/conditional-transaction.ts'
import {
  DEPOSIT_TYPE,
  type PoolTransaction,
  type RecoveredTransaction,
  type Transaction,
} from '../../chain/transaction/transaction.ts'
import { decodeTransaction, withSender } from '../../chain/transaction/transaction-codec.ts'
import type { Bytes, Hash } from '../../primitives/hex.ts'
import { keccakHash } from '../../primitives/keccak.ts'
import type { RlpItem, RlpSource } from '../../primitives/rlp.ts'

/** A transaction with its sender, so that it need not be recovered again. */
export function recoveredTransactionItem({ raw, from }: RecoveredTransaction): RlpSource {
  return [raw, from]
}

/** Finds an already decoded transaction by hash: a reader usually has most transactions of a flashblock in its pool. */
export type TransactionLookup = (hash: Hash) => PoolTransaction | undefined

/** @throws RlpError or TransactionDecodeError */
export function readRecoveredTransaction(item: RlpItem): RecoveredTransaction {
  return readWithSender(item, decodeTransaction)
}

/**
 * Returns the known object if there is one, so that a transaction is decoded and stored once; not if it has a blob
 * sidecar, which blocks do not include.
 *
 * @throws RlpError or TransactionDecodeError
 */
export function readOrLookUp(item: RlpItem, lookup: TransactionLookup): RecoveredTransaction {
  const [raw, from] = readList(item, 'a stored transaction', [2])
  const transaction = lookup(keccakHash(readBytes(raw, 'raw')))
  const isSame = transaction?.from === readAddress(from, 'from') && transaction.type !== BLOB_TYPE
  return isSame ? transaction : readRecoveredTransaction(item)
}

/** A pooled transaction with its sender, blob sidecar and validity predicates. */
export function waitingTransactionItem(transaction: PoolTransaction): RlpSource {
  return [encodeWaitingTransaction(transaction), transaction.from]
}

/** @throws RlpError or TransactionDecodeError */
export function readWaitingTransaction(item: RlpItem): RecoveredTransaction {
  return readWithSender(item, decodeWaitingTransaction)
}

function readWithSender(item: RlpItem, decode: (raw: Bytes) => Transaction): RecoveredTransaction {
  const [raw, from] = readList(item, 'a stored transaction', [2])
  const transaction = decode(readBytes(raw, 'raw'))
  return transaction.type === DEPOSIT_TYPE ? transaction : withSender(transaction, readAddress(from, 'from'))
}
