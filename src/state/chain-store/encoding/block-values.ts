import type { Block } from '../../../chain/block/block.ts'
import { readWithdrawal, withdrawalItem } from '../../../chain/block/block-codec.ts'
import type { Header } from '../../../chain/block/header.ts'
import { decodeHeader, encodeHeader, headerItem, readHeader } from '../../../chain/block/header-codec.ts'
import type { Log } from '../../../chain/receipt/log.ts'
import type { Receipt } from '../../../chain/receipt/receipt.ts'
import { readBytes, readList, readNumber, readUint64 } from '../../../chain/rlp-fields.ts'
import type { RecoveredTransaction } from '../../../chain/transaction/transaction.ts'
import { type Bytes, bytesToHash, type Hash, hexToBytes } from '../../../primitives/hex.ts'
import { keccak256 } from '../../../primitives/keccak.ts'
import { decodeRlp, type RlpItem, type RlpSource } from '../../../primitives/rlp.ts'
import { RlpReader } from '../../../primitives/rlp-reader.ts'
import { readReceiptWithoutLogs, receiptItemWithoutLogs } from '../../records/receipt-codec.ts'
import { readRecoveredTransaction, recoveredTransactionItem } from '../../records/transaction-codec.ts'
import { encodeChecked, withChecksum } from './checked-value.ts'

const HASH_BYTES = 32
const TIMESTAMP = 11

/** The hash precedes the header, so that BLOCKHASH and the caches need not compute it. */
export function encodeHeaderValue({ header, hash }: Pick<Block, 'header' | 'hash'>): Bytes {
  return withChecksum(hexToBytes(hash), encodeHeader(header))
}

/** @param content without the checksum, as for all readers here */
export function hashInHeader(content: Bytes): Hash {
  return bytesToHash(content.subarray(0, HASH_BYTES))
}

/** Unix seconds, without decoding the header. */
export function timestampInHeader(content: Bytes): bigint {
  const reader = new RlpReader(content.subarray(HASH_BYTES))
  reader.list('a header')
  for (let member = 0; member < TIMESTAMP; member++) reader.skip()
  return readUint64(reader.bytes('timestamp'), 'timestamp')
}

export function headerInHeader(content: Bytes): Header {
  return decodeHeader(content.subarray(HASH_BYTES))
}

/** Includes senders: recovering them would cost more than the rest of reading a block. */
export function encodeBody({ size, transactions, uncles, withdrawals }: Block): Bytes {
  if (transactions.length + uncles.length === 0 && withdrawals?.length === 0) return emptyBody(size)
  const items: RlpSource[] = [size, transactions.map(recoveredTransactionItem), uncles.map(headerItem)]
  if (withdrawals !== undefined) items.push(withdrawals.map(withdrawalItem))
  return encodeChecked(items)
}

/** A node without requests stores such a body thousands of times in a row. */
let newestEmptyBody = { size: -1, value: new Uint8Array(0) as Bytes }

function emptyBody(size: number): Bytes {
  if (newestEmptyBody.size !== size) newestEmptyBody = { size, value: encodeChecked([size, [], [], []]) }
  return newestEmptyBody.value
}

export function readBlockBody(item: RlpItem): Omit<Block, 'header' | 'hash'> {
  const list = readList(item, 'a stored body', [3, 4])
  return {
    size: readNumber(list[0], 'size'),
    transactions: readList(list[1], 'transactions').map(readRecoveredTransaction),
    uncles: readList(list[2], 'uncles').map(readHeader),
    ...(list.length > 3 && { withdrawals: readList(list[3], 'withdrawals').map(readWithdrawal) }),
  }
}

/** Transaction `index` of a body, without decoding the others; `undefined` if there is none. */
export function transactionInBody(content: Bytes, index: number): RecoveredTransaction | undefined {
  const reader = new RlpReader(content)
  reader.list('a stored body')
  reader.skip()
  const end = reader.list('transactions')
  for (let before = 0; before < index && reader.offset < end; before++) reader.skip()
  return reader.offset < end ? readRecoveredTransaction(reader.item()) : undefined
}

/** Transaction hashes of a body, as bytes, without decoding the transactions. */
export function transactionHashes(item: RlpItem): readonly Bytes[] {
  return readList(readList(item, 'a stored body')[1], 'transactions').map((entry) =>
    keccak256(readBytes(readList(entry, 'a stored transaction')[0], 'raw')),
  )
}

const NO_RECEIPTS = encodeChecked([])

export function encodeReceipts(receipts: readonly Receipt[]): Bytes {
  if (receipts.length === 0) return NO_RECEIPTS
  return encodeChecked(receipts.map(receiptItemWithoutLogs))
}

/**
 * Receipt `index`, without decoding the others.
 *
 * @param logs reads a number of logs of the block from an index on
 */
export function receiptAt(
  content: Bytes,
  index: number,
  logs: (first: number, count: number) => readonly Log[],
): Receipt | undefined {
  const reader = new RlpReader(content)
  const end = reader.list('stored receipts')
  let firstLogIndex = 0
  for (let position = 0; reader.offset < end; position++) {
    const start = reader.offset
    const receiptEnd = reader.list('a stored receipt')
    const count = reader.number('number of logs')
    if (position === index) {
      const item = decodeRlp(content.subarray(start, receiptEnd))
      return { ...readReceiptWithoutLogs(item, logs(firstLogIndex, count), 0), firstLogIndex }
    }
    firstLogIndex += count
    while (reader.offset < receiptEnd) reader.skip()
  }
  return undefined
}

/** @param logs all logs of the block, in order */
export function readReceipts(item: RlpItem, logs: readonly Log[]): readonly Receipt[] {
  let firstLogIndex = 0
  return readList(item, 'stored receipts').map((entry) => {
    const receipt = readReceiptWithoutLogs(entry, logs, firstLogIndex)
    firstLogIndex += receipt.logs.length
    return receipt
  })
}
