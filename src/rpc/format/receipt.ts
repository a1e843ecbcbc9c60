import type { Block } from '../../chain/block/block.ts'
import type { ChainConfig } from '../../chain/forks/chain-config.ts'
import type { Receipt } from '../../chain/receipt/receipt.ts'
import type { RecoveredTransaction } from '../../chain/transaction/transaction.ts'
import type { BlockView } from '../../node/core/view.ts'
import { bytesToHex } from '../../primitives/hex.ts'
import { toQuantity } from '../../primitives/quantity.ts'
import type { JsonRecord } from '../json.ts'
import { formatLog } from './log.ts'

/** Data of a receipt object. */
export interface EncodedReceipt {
  readonly block: Pick<Block, 'header' | 'hash'>
  readonly transaction: RecoveredTransaction
  readonly receipt: Receipt
  /** Position in the block. */
  readonly index: number
}

/**
 * The receipt object of transaction `index`. In the open block it has the partial hash; on layer 2 it has the OP-stack
 * members.
 */
export function formatReceipt(view: BlockView, index: number, config: ChainConfig): JsonRecord {
  return formatSingleReceipt(receiptOf(view, index), config)
}

/** The receipt object of a stored receipt, without its block. */
export function formatSingleReceipt(encoded: EncodedReceipt, config: ChainConfig): JsonRecord {
  const { block, transaction, receipt, index } = encoded
  return {
    blockHash: block.hash,
    blockNumber: toQuantity(block.header.number),
    transactionHash: transaction.hash,
    transactionIndex: toQuantity(index),
    type: toQuantity(receipt.type),
    from: transaction.from,
    to: transaction.to,
    contractAddress: receipt.contractAddress,
    cumulativeGasUsed: toQuantity(receipt.cumulativeGasUsed),
    gasUsed: toQuantity(receipt.gasUsed),
    effectiveGasPrice: toQuantity(receipt.effectiveGasPrice),
    logs: encodeLogs(encoded),
    logsBloom: bytesToHex(receipt.logsBloom),
    ...('status' in receipt.outcome
      ? { status: toQuantity(receipt.outcome.status) }
      : { root: receipt.outcome.stateRoot }),
    blobGasUsed: receipt.blobGasUsed === undefined ? undefined : toQuantity(receipt.blobGasUsed),
    blobGasPrice: receipt.blobGasPrice === undefined ? undefined : toQuantity(receipt.blobGasPrice),
    ...encodeLayer2Members(receipt, config),
  }
}

/** All logs of transaction `index`. */
export function formatReceiptLogs(view: BlockView, index: number): JsonRecord[] {
  return encodeLogs(receiptOf(view, index))
}

function receiptOf({ block, receipts }: BlockView, index: number): EncodedReceipt {
  return { block, transaction: block.transactions[index]!, receipt: receipts[index]!, index }
}

function encodeLogs({ block, transaction, receipt, index }: EncodedReceipt): JsonRecord[] {
  return receipt.logs.map((log, position) =>
    formatLog({
      log,
      blockNumber: block.header.number,
      blockHash: block.hash,
      blockTimestamp: block.header.timestamp,
      transactionHash: transaction.hash,
      transactionIndex: index,
      logIndex: receipt.firstLogIndex + position,
    }),
  )
}

/** OP-stack clients require the fee members; there is no L1, so they are zero. */
function encodeLayer2Members(receipt: Receipt, { layer2 }: ChainConfig): JsonRecord {
  if (layer2 === undefined) return {}
  return {
    l1Fee: '0x0',
    l1GasPrice: '0x0',
    l1GasUsed: '0x0',
    l1BaseFeeScalar: '0x0',
    l1BlobBaseFee: '0x0',
    l1BlobBaseFeeScalar: '0x0',
    daFootprintGasScalar: toQuantity(layer2.daFootprintGasScalar),
    depositNonce: receipt.deposit && toQuantity(receipt.deposit.nonce),
    depositReceiptVersion: receipt.deposit && toQuantity(receipt.deposit.version),
  }
}
