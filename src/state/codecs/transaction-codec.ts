import { readAddress, readBytes, readList } from '../../chain/rlp-fields.ts'
import { BLOB_TYPE, decodeSentTransaction, encodeSentTransaction } from '../../chain/transaction/blob-sidecar.ts'
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

/** A transaction with its sender, which was recovered once and is not worth recovering again. */
export function recoveredTransactionItem({ raw, from }: RecoveredTransaction): RlpSource {
  return [raw, from]
}

/** What is decoded already, by its hash: most of what a flashblock includes waits in the pool of whoever reads it. */
export type TransactionLookup = (hash: Hash) => PoolTransaction | undefined

/** @throws RlpError or TransactionDecodeError */
export function readRecoveredTransaction(item: RlpItem): RecoveredTransaction {
  return readWithSender(item, decodeTransaction)
}

/**
 * The same object where it is known, so that a transaction is read and kept once. One that waits with its blobs is another than
 * the block's.
 *
 * @throws RlpError or TransactionDecodeError
 */
export function readOrLookUp(item: RlpItem, known: TransactionLookup): RecoveredTransaction {
  const [raw, from] = readList(item, 'a stored transaction', [2])
  const transaction = known(keccakHash(readBytes(raw, 'raw')))
  const isSame = transaction?.from === readAddress(from, 'from') && transaction.type !== BLOB_TYPE
  return isSame ? transaction : readRecoveredTransaction(item)
}

/** The same with the blob sidecar that it waits with. */
export function waitingTransactionItem(transaction: PoolTransaction): RlpSource {
  return [encodeSentTransaction(transaction), transaction.from]
}

/** @throws RlpError or TransactionDecodeError */
export function readWaitingTransaction(item: RlpItem): RecoveredTransaction {
  return readWithSender(item, decodeSentTransaction)
}

function readWithSender(item: RlpItem, decode: (raw: Bytes) => Transaction): RecoveredTransaction {
  const [raw, from] = readList(item, 'a stored transaction', [2])
  const transaction = decode(readBytes(raw, 'raw'))
  return transaction.type === DEPOSIT_TYPE ? transaction : withSender(transaction, readAddress(from, 'from'))
}
