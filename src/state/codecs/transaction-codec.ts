import { decodeSentTransaction, encodeSentTransaction } from '../../chain/blob-sidecar.ts'
import { readAddress, readBytes, readList } from '../../chain/rlp-fields.ts'
import {
  DEPOSIT_TYPE,
  type PoolTransaction,
  type RecoveredTransaction,
  type Transaction,
} from '../../chain/transaction.ts'
import { decodeTransaction, withSender } from '../../chain/transaction-codec.ts'
import type { Bytes } from '../../primitives/hex.ts'
import type { RlpItem, RlpSource } from '../../primitives/rlp.ts'

/** A transaction with its sender, which was recovered once and is not worth recovering again. */
export function recoveredTransactionItem({ raw, from }: RecoveredTransaction): RlpSource {
  return [raw, from]
}

/** @throws RlpError or TransactionDecodeError */
export function readRecoveredTransaction(item: RlpItem): RecoveredTransaction {
  return readWithSender(item, decodeTransaction)
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
