import type { BlockView } from '../../node/view.ts'
import type { Json } from '../json.ts'
import { encodeIncludedTransaction } from './transaction.ts'

/** The transaction object at a position of a block; `null` where there is no such block or position. */
export function encodeTransactionAt(view: BlockView | undefined, index: number): Json {
  const transaction = view?.block.transactions[index]
  if (view === undefined || transaction === undefined) return null
  return encodeIncludedTransaction(transaction, view.block, index, view.receipts[index]?.deposit)
}
