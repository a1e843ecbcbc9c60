import type { Block, Withdrawal } from '../../chain/block/block.ts'
import { hashHeader } from '../../chain/block/header-codec.ts'
import type { BlockView } from '../../node/core/view.ts'
import { toQuantity } from '../../primitives/quantity.ts'
import type { JsonRecord } from '../json.ts'
import { formatHeader } from './header.ts'
import { formatIncludedTransaction } from './transaction.ts'

/** The block object. An open block has the same members, with its number and the hash of its partial header. */
export function formatBlock({ block, receipts }: BlockView, fullTransactions: boolean): JsonRecord {
  return Object.assign(formatHeader(block.header, block.hash), {
    size: toQuantity(block.size),
    transactions: fullTransactions
      ? block.transactions.map((transaction, index) =>
          formatIncludedTransaction(transaction, block, index, receipts[index]?.deposit),
        )
      : block.transactions.map(({ hash }) => hash),
    uncles: block.uncles.map(hashHeader),
    withdrawals: block.withdrawals?.map(formatWithdrawal),
  })
}

/** Messages of `newHeads`: the block object without transactions and uncles. */
export function formatHead(block: Block): JsonRecord {
  return {
    ...formatHeader(block.header, block.hash),
    size: toQuantity(block.size),
    withdrawals: block.withdrawals?.map(formatWithdrawal),
  }
}

export function formatWithdrawal(withdrawal: Withdrawal): JsonRecord {
  return {
    index: toQuantity(withdrawal.index),
    validatorIndex: toQuantity(withdrawal.validatorIndex),
    address: withdrawal.address,
    amount: toQuantity(withdrawal.amount),
  }
}
