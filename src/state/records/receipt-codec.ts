import { BLOOM_BYTES, bloomOf } from '../../chain/receipt/bloom.ts'
import type { Log } from '../../chain/receipt/log.ts'
import type { Receipt } from '../../chain/receipt/receipt.ts'
import { logItem, outcomeItem, readLog, readOutcome } from '../../chain/receipt/receipt-codec.ts'
import { readBytes, readList, readNumber, readRecipient, readUint64, readUint256 } from '../../chain/rlp-fields.ts'
import { EMPTY_BYTES } from '../../primitives/hex.ts'
import { RlpError, type RlpItem, type RlpSource } from '../../primitives/rlp.ts'

/** A receipt with everything that queries need, so that readers never execute. */
export function receiptItem(receipt: Receipt): RlpSource {
  const [type, outcome, cumulativeGasUsed, gasUsed, ...rest] = membersWithoutLogs(receipt)
  return [
    type!,
    outcome!,
    cumulativeGasUsed!,
    gasUsed!,
    // Most receipts of transfers have an empty bloom (256 zeros).
    receipt.logs.length === 0 ? EMPTY_BYTES : receipt.logsBloom,
    receipt.logs.map(logItem),
    receipt.firstLogIndex,
    ...rest,
  ]
}

/** @throws RlpError */
export function readReceipt(item: RlpItem): Receipt {
  const list = readList(item, 'a stored receipt', [12])
  const logs = readList(list[5], 'logs').map(readLog)
  const bloom = readBytes(list[4], 'logsBloom', logs.length === 0 ? 0 : BLOOM_BYTES)
  // `Object.assign` to the new object: followers decode thousands a second, and copying all members would double the
  // cost.
  return Object.assign(readMembersWithoutLogs(list, 7), {
    logsBloom: logs.length === 0 ? new Uint8Array(BLOOM_BYTES) : bloom,
    logs,
    firstLogIndex: readNumber(list[6], 'firstLogIndex'),
  })
}

/** A receipt whose logs are stored separately: only their number; bloom and first index derive from the logs. */
export function receiptItemWithoutLogs(receipt: Receipt): RlpSource {
  return [receipt.logs.length, ...membersWithoutLogs(receipt)]
}

/**
 * @param logs all logs of the block, in order
 * @param firstLogIndex of the receipt's own logs
 * @throws RlpError also when logs are missing
 */
export function readReceiptWithoutLogs(item: RlpItem, logs: readonly Log[], firstLogIndex: number): Receipt {
  const [count, ...members] = readList(item, 'a stored receipt', [10])
  const own = logs.slice(firstLogIndex, firstLogIndex + readNumber(count, 'number of logs'))
  if (own.length !== readNumber(count, 'number of logs')) throw new RlpError('a stored receipt lacks logs')
  return Object.assign(readMembersWithoutLogs(members, 4), { logsBloom: bloomOf(own), logs: own, firstLogIndex })
}

function membersWithoutLogs(receipt: Receipt): readonly RlpSource[] {
  return [
    receipt.type,
    outcomeItem(receipt.outcome),
    receipt.cumulativeGasUsed,
    receipt.gasUsed,
    receipt.contractAddress ?? EMPTY_BYTES,
    receipt.effectiveGasPrice,
    optional(receipt.blobGasUsed),
    optional(receipt.blobGasPrice),
    optional(receipt.deposit && [receipt.deposit.nonce, receipt.deposit.version]),
  ]
}

/** @param rest index of the members that are not at the front */
function readMembersWithoutLogs(
  list: readonly RlpItem[],
  rest: number,
): Omit<Receipt, 'logsBloom' | 'logs' | 'firstLogIndex'> {
  const [blobGasUsed] = readList(list[rest + 2], 'blobGasUsed', [0, 1])
  const [blobGasPrice] = readList(list[rest + 3], 'blobGasPrice', [0, 1])
  const [deposit] = readList(list[rest + 4], 'deposit', [0, 1])
  return {
    type: readNumber(list[0], 'type'),
    outcome: readOutcome(list[1]),
    cumulativeGasUsed: readNumber(list[2], 'cumulativeGasUsed'),
    gasUsed: readNumber(list[3], 'gasUsed'),
    contractAddress: readRecipient(list[rest], 'contractAddress'),
    effectiveGasPrice: readUint256(list[rest + 1], 'effectiveGasPrice'),
    ...(blobGasUsed !== undefined && { blobGasUsed: readNumber(blobGasUsed, 'blobGasUsed') }),
    ...(blobGasPrice !== undefined && { blobGasPrice: readUint256(blobGasPrice, 'blobGasPrice') }),
    ...(deposit !== undefined && { deposit: readDeposit(deposit) }),
  }
}

function readDeposit(item: RlpItem): NonNullable<Receipt['deposit']> {
  const [nonce, version] = readList(item, 'deposit', [2])
  return { nonce: readUint64(nonce, 'depositNonce'), version: readUint64(version, 'depositReceiptVersion') }
}

/** Distinguishes absence from zero: a list of no item or one. */
function optional(value: RlpSource | undefined): RlpSource {
  return value === undefined ? [] : [value]
}
