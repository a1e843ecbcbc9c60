import type { NodeRequests } from '../../../live/http-rpc.ts'
import type { Capabilities } from '../../client/capabilities.ts'
import {
  type ReceiptObject,
  receiptObject,
  type TransactionObject,
  transactionObject,
} from '../../model/chain-objects.ts'
import { inferredCondition, type TransactionCondition, transactionCondition } from '../../model/transaction-status.ts'

export interface TransactionDetails {
  readonly hash: string
  /** `undefined`: the node does not have it, or no longer. */
  readonly transaction: TransactionObject | undefined
  /** `undefined` before it is executed. */
  readonly receipt: ReceiptObject | undefined
  readonly condition: TransactionCondition
}

export async function loadTransaction(
  node: NodeRequests,
  hash: string,
  { transactionStatus }: Pick<Capabilities, 'transactionStatus'>,
): Promise<TransactionDetails> {
  const [transactionJson, receiptJson, status] = await Promise.all([
    node.request('eth_getTransactionByHash', [hash]),
    node.request('eth_getTransactionReceipt', [hash]),
    transactionStatus ? node.request('tickertape_transactionStatus', [hash]) : undefined,
  ])
  const transaction = transactionObject(transactionJson)
  const condition = transactionStatus
    ? transactionCondition(status)
    : inferredCondition(transaction?.blockNumber, transaction !== undefined)
  return { hash, transaction, receipt: receiptObject(receiptJson), condition }
}
