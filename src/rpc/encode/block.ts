import type { Block, Withdrawal } from '../../chain/block/block.ts'
import { hashHeader } from '../../chain/block/header-codec.ts'
import type { BlockView } from '../../node/core/view.ts'
import { toQuantity } from '../../primitives/quantity.ts'
import type { JsonObject } from '../json.ts'
import { encodeHeader } from './header.ts'
import { encodeIncludedTransaction } from './transaction.ts'

/**
 * The block object of the contract. The open block has the same shape: its number, and the hash of its partial
 * header (design section 6).
 */
export function encodeBlock({ block, receipts }: BlockView, fullTransactions: boolean): JsonObject {
  return Object.assign(encodeHeader(block.header, block.hash), {
    size: toQuantity(block.size),
    transactions: fullTransactions
      ? block.transactions.map((transaction, index) =>
          encodeIncludedTransaction(transaction, block, index, receipts[index]?.deposit),
        )
      : block.transactions.map(({ hash }) => hash),
    uncles: block.uncles.map(hashHeader),
    withdrawals: block.withdrawals?.map(encodeWithdrawal),
  })
}

/** What `newHeads` announces: the block object without transactions and uncles. */
export function encodeHead(block: Block): JsonObject {
  return {
    ...encodeHeader(block.header, block.hash),
    size: toQuantity(block.size),
    withdrawals: block.withdrawals?.map(encodeWithdrawal),
  }
}

export function encodeWithdrawal(withdrawal: Withdrawal): JsonObject {
  return {
    index: toQuantity(withdrawal.index),
    validatorIndex: toQuantity(withdrawal.validatorIndex),
    address: withdrawal.address,
    amount: toQuantity(withdrawal.amount),
  }
}
