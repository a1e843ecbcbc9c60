import type { BlockView } from '../../node/view/view.ts'
import { bytesToHex } from '../../primitives/hex.ts'
import { toQuantity } from '../../primitives/quantity.ts'
import type { JsonRecord } from '../protocol/json.ts'
import { formatReceiptLogs } from './receipt.ts'
import { formatIncludedTransaction } from './transaction.ts'

/** The full form of `newFlashblockTransactions`: transaction object and receipt in one flat object. */
export function formatFlashblockTransaction(view: BlockView, index: number): JsonRecord {
  const receipt = view.receipts[index]!
  return {
    ...formatIncludedTransaction(view.block.transactions[index]!, view.block, index, receipt.deposit),
    gasUsed: toQuantity(receipt.gasUsed),
    ...('status' in receipt.outcome
      ? { status: toQuantity(receipt.outcome.status) }
      : { root: receipt.outcome.stateRoot }),
    cumulativeGasUsed: toQuantity(receipt.cumulativeGasUsed),
    contractAddress: receipt.contractAddress,
    logsBloom: bytesToHex(receipt.logsBloom),
    logs: formatReceiptLogs(view, index),
  }
}
