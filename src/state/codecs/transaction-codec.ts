import { readAddress, readBytes, readList } from '../../chain/rlp-fields.ts'
import { DEPOSIT_TYPE, type RecoveredTransaction } from '../../chain/transaction.ts'
import { decodeTransaction } from '../../chain/transaction-codec.ts'
import { hexToBytes } from '../../primitives/hex.ts'
import type { RlpItem } from '../../primitives/rlp.ts'

/** A transaction with its sender, which was recovered once and is not worth recovering again. */
export function recoveredTransactionItem({ raw, from }: RecoveredTransaction): RlpItem {
  return [raw, hexToBytes(from)]
}

/** @throws RlpError or TransactionDecodeError */
export function readRecoveredTransaction(item: RlpItem): RecoveredTransaction {
  const [raw, from] = readList(item, 'a stored transaction', [2])
  const transaction = decodeTransaction(readBytes(raw, 'raw'))
  return transaction.type === DEPOSIT_TYPE ? transaction : { ...transaction, from: readAddress(from, 'from') }
}
