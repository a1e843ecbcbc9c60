import type { Block, Withdrawal } from '../../chain/block/block.ts'
import { hashHeader } from '../../chain/block/header-codec.ts'
import { blockMilliseconds } from '../../chain/system-transactions/base-time.ts'
import type { BlockView } from '../../node/view/view.ts'
import { toQuantity } from '../../primitives/quantity.ts'
import type { JsonRecord } from '../protocol/json.ts'
import { withForeign } from './foreign-members.ts'
import { formatHeader } from './header.ts'
import { formatIncludedTransaction } from './transaction.ts'

/**
 * The block object. An open block has the same members, with its number and the hash of its partial header.
 *
 * @param milliseconds Unix time of a Denim block, if its transactions were left out
 */
export function formatBlock(
  { block, receipts }: BlockView,
  fullTransactions: boolean,
  milliseconds: bigint | undefined = blockMilliseconds(block),
): JsonRecord {
  const record = Object.assign(formatHeader(block.header, block.hash, milliseconds), {
    size: toQuantity(block.size),
    transactions: fullTransactions
      ? block.transactions.map((transaction, index) =>
          formatIncludedTransaction(transaction, block, index, receipts[index]?.deposit),
        )
      : block.transactions.map(({ hash }) => hash),
    uncles: block.uncles.map(hashHeader),
    withdrawals: block.withdrawals?.map(formatWithdrawal),
  })
  return withForeign(record, block.foreign)
}

/** Messages of `newHeads`: the block object without transactions and uncles. */
export function formatHead(block: Block): JsonRecord {
  return {
    ...formatHeader(block.header, block.hash, blockMilliseconds(block)),
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
