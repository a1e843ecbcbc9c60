import type { Block } from '../../chain/block/block.ts'
import type { ChainConfig } from '../../chain/forks/chain-config.ts'
import { hasL1Attributes } from '../../chain/forks/chain-profile.ts'
import type { Receipt } from '../../chain/receipt/receipt.ts'
import { blockMilliseconds } from '../../chain/system-transactions/base-time.ts'
import { type BedrockAttributes, bedrockAttributesOf } from '../../chain/system-transactions/bedrock-attributes.ts'
import { type L1Attributes, l1AttributesOf } from '../../chain/system-transactions/l1-attributes.ts'
import type { RecoveredTransaction } from '../../chain/transaction/transaction.ts'
import type { BlockView } from '../../node/view/view.ts'
import { bytesToHex } from '../../primitives/hex.ts'
import { toQuantity } from '../../primitives/quantity.ts'
import type { JsonRecord } from '../protocol/json.ts'
import { withForeign } from './foreign-members.ts'
import { formatLayer2Members } from './layer2-receipt.ts'
import { formatLog } from './log.ts'

/** Data of a receipt object. */
export interface EncodedReceipt {
  readonly block: Pick<Block, 'header' | 'hash'>
  readonly transaction: RecoveredTransaction
  readonly receipt: Receipt
  /** Position in the block. */
  readonly index: number
  /** Unix milliseconds of a Denim block. */
  readonly milliseconds?: bigint | undefined
  /** Values of layer 1 in the block, which determine the fees for data; absent where it has none. */
  readonly attributes?: L1Attributes | BedrockAttributes | undefined
}

/**
 * The receipt object of transaction `index`. In the open block it has the partial hash; on layer 2 it has the OP-stack
 * members.
 */
export function formatReceipt(view: BlockView, index: number, config: ChainConfig): JsonRecord {
  const attributes = hasL1Attributes(config)
    ? (l1AttributesOf(view.block) ?? bedrockAttributesOf(view.block))
    : undefined
  return formatSingleReceipt({ ...receiptOf(view, index), attributes }, config)
}

/** The receipt object of a stored receipt, without its block: on chains where the block does not determine fees. */
export function formatSingleReceipt(encoded: EncodedReceipt, config: ChainConfig): JsonRecord {
  const { block, transaction, receipt, index } = encoded
  const record = {
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
    ...formatLayer2Members(
      { transaction, receipt, timestamp: block.header.timestamp, attributes: encoded.attributes },
      config,
    ),
  }
  return withForeign(record, receipt.foreign)
}

/** All logs of transaction `index`. */
export function formatReceiptLogs(view: BlockView, index: number): JsonRecord[] {
  return encodeLogs(receiptOf(view, index))
}

function receiptOf({ block, receipts }: BlockView, index: number): EncodedReceipt {
  const milliseconds = blockMilliseconds(block)
  return { block, transaction: block.transactions[index]!, receipt: receipts[index]!, index, milliseconds }
}

function encodeLogs({ block, transaction, receipt, index, milliseconds }: EncodedReceipt): JsonRecord[] {
  return receipt.logs.map((log, position) =>
    formatLog({
      log,
      blockNumber: block.header.number,
      blockHash: block.hash,
      blockTimestamp: block.header.timestamp,
      blockTimestampMs: milliseconds,
      transactionHash: transaction.hash,
      transactionIndex: index,
      logIndex: receipt.firstLogIndex + position,
    }),
  )
}
