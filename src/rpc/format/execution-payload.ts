import type { Payload } from '../../node/production/building/payload.ts'
import { bytesToHex } from '../../primitives/hex.ts'
import { toQuantity } from '../../primitives/quantity.ts'
import type { JsonRecord } from '../protocol/json.ts'
import { formatWithdrawal } from './block.ts'

/** The result of `engine_getPayloadV5`: payload, value, blobs and requests. */
export function formatPayloadEnvelope(payload: Payload): JsonRecord {
  return {
    executionPayload: encodeExecutionPayload(payload),
    blockValue: toQuantity(tipsOf(payload)),
    blobsBundle: encodeBlobs(payload),
    executionRequests: payload.requests.map(bytesToHex),
    shouldOverrideBuilder: false,
  }
}

function encodeExecutionPayload({ block: { header, hash, transactions, withdrawals = [] } }: Payload): JsonRecord {
  return {
    parentHash: header.parentHash,
    feeRecipient: header.miner,
    stateRoot: header.stateRoot,
    receiptsRoot: header.receiptsRoot,
    logsBloom: bytesToHex(header.logsBloom),
    prevRandao: header.mixHash,
    blockNumber: toQuantity(header.number),
    gasLimit: toQuantity(header.gasLimit),
    gasUsed: toQuantity(header.gasUsed),
    timestamp: toQuantity(header.timestamp),
    extraData: bytesToHex(header.extraData),
    baseFeePerGas: toQuantity(header.baseFeePerGas ?? 0n),
    blockHash: hash,
    transactions: transactions.map(({ raw }) => bytesToHex(raw)),
    withdrawals: withdrawals.map(formatWithdrawal),
    blobGasUsed: header.blobGasUsed === undefined ? undefined : toQuantity(header.blobGasUsed),
    excessBlobGas: header.excessBlobGas === undefined ? undefined : toQuantity(header.excessBlobGas),
  }
}

/** Wei for the fee recipient. */
function tipsOf({ block, receipts }: Payload): bigint {
  const baseFee = block.header.baseFeePerGas ?? 0n
  return receipts.reduce(
    (sum, { gasUsed, effectiveGasPrice }) => sum + BigInt(gasUsed) * (effectiveGasPrice - baseFee),
    0n,
  )
}

/** Transactions without a sidecar contribute no blobs. */
function encodeBlobs({ transactions }: Payload): JsonRecord {
  const sidecars = transactions.flatMap((transaction) =>
    transaction.type === 3 && transaction.sidecar ? [transaction.sidecar] : [],
  )
  return {
    commitments: sidecars.flatMap(({ commitments }) => commitments.map(bytesToHex)),
    proofs: sidecars.flatMap(({ proofs }) => proofs.map(bytesToHex)),
    blobs: sidecars.flatMap(({ blobs }) => blobs.map(bytesToHex)),
  }
}
