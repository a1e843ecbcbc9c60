import type { ChainConfig } from '../../chain/chain-config.ts'
import type { Receipt } from '../../chain/receipt.ts'
import type { BlockView } from '../../node/view.ts'
import { bytesToHex } from '../../primitives/hex.ts'
import { toQuantity } from '../../primitives/quantity.ts'
import type { JsonObject } from '../json.ts'
import { encodeLog } from './log.ts'

/**
 * The receipt object of transaction `index` (spec-facts 10.3): for the open block with its partial hash, and on
 * layer-2 rules with the members of spec-facts 7.7.
 */
export function encodeReceipt(view: BlockView, index: number, config: ChainConfig): JsonObject {
  const { block } = view
  const receipt = view.receipts[index]!
  const transaction = block.transactions[index]!
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
    logs: encodeReceiptLogs(view, index),
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
export function encodeReceiptLogs({ block, receipts }: BlockView, index: number): JsonObject[] {
  const receipt = receipts[index]!
  return receipt.logs.map((log, position) =>
    encodeLog({
      log,
      blockNumber: block.header.number,
      blockHash: block.hash,
      blockTimestamp: block.header.timestamp,
      transactionHash: block.transactions[index]!.hash,
      transactionIndex: index,
      logIndex: receipt.firstLogIndex + position,
    }),
  )
}

/** Clients of layer-2 chains read the fee members without asking; no layer 1 is attached, so that they are zero. */
function encodeLayer2Members(receipt: Receipt, { layer2 }: ChainConfig): JsonObject {
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
