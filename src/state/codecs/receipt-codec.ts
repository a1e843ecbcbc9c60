import { BLOOM_BYTES } from '../../chain/bloom.ts'
import type { Receipt } from '../../chain/receipt.ts'
import { logItem, outcomeItem, readLog, readOutcome } from '../../chain/receipt-codec.ts'
import { readBytes, readList, readNumber, readRecipient, readUint64, readUint256 } from '../../chain/rlp-fields.ts'
import { EMPTY_BYTES, hexToBytes } from '../../primitives/hex.ts'
import { bigintToBytes } from '../../primitives/quantity.ts'
import type { RlpItem } from '../../primitives/rlp.ts'

/** A receipt with everything that answering needs, so that a reader never executes (design claim 3). */
export function receiptItem(receipt: Receipt): RlpItem {
  return [
    number(receipt.type),
    outcomeItem(receipt.outcome),
    number(receipt.cumulativeGasUsed),
    number(receipt.gasUsed),
    // The bloom of no logs is 256 zeros; most receipts of transfers have it.
    receipt.logs.length === 0 ? EMPTY_BYTES : receipt.logsBloom,
    receipt.logs.map(logItem),
    number(receipt.firstLogIndex),
    receipt.contractAddress === null ? EMPTY_BYTES : hexToBytes(receipt.contractAddress),
    bigintToBytes(receipt.effectiveGasPrice),
    optional(receipt.blobGasUsed, number),
    optional(receipt.blobGasPrice, bigintToBytes),
    optional(receipt.deposit, ({ nonce, version }) => [bigintToBytes(nonce), bigintToBytes(version)]),
  ]
}

/** @throws RlpError */
export function readReceipt(item: RlpItem): Receipt {
  const list = readList(item, 'a stored receipt', [12])
  const logs = readList(list[5], 'logs').map(readLog)
  const [blobGasUsed] = readList(list[9], 'blobGasUsed', [0, 1])
  const [blobGasPrice] = readList(list[10], 'blobGasPrice', [0, 1])
  const [deposit] = readList(list[11], 'deposit', [0, 1])
  return {
    type: readNumber(list[0], 'type'),
    outcome: readOutcome(list[1]),
    cumulativeGasUsed: readNumber(list[2], 'cumulativeGasUsed'),
    gasUsed: readNumber(list[3], 'gasUsed'),
    logsBloom: logs.length === 0 ? new Uint8Array(BLOOM_BYTES) : readBytes(list[4], 'logsBloom', BLOOM_BYTES),
    logs,
    firstLogIndex: readNumber(list[6], 'firstLogIndex'),
    contractAddress: readRecipient(list[7], 'contractAddress'),
    effectiveGasPrice: readUint256(list[8], 'effectiveGasPrice'),
    ...(blobGasUsed !== undefined && { blobGasUsed: readNumber(blobGasUsed, 'blobGasUsed') }),
    ...(blobGasPrice !== undefined && { blobGasPrice: readUint256(blobGasPrice, 'blobGasPrice') }),
    ...(deposit !== undefined && { deposit: readDeposit(deposit) }),
  }
}

function readDeposit(item: RlpItem): NonNullable<Receipt['deposit']> {
  const [nonce, version] = readList(item, 'deposit', [2])
  return { nonce: readUint64(nonce, 'depositNonce'), version: readUint64(version, 'depositReceiptVersion') }
}

function number(value: number): RlpItem {
  return bigintToBytes(BigInt(value))
}

/** Absent and zero differ: a list of none or one. */
function optional<T>(value: T | undefined, encode: (value: T) => RlpItem): RlpItem {
  return value === undefined ? [] : [encode(value)]
}
