import type { Block } from '../../../chain/block/block.ts'
import type { Receipt } from '../../../chain/receipt/receipt.ts'
import { type Bytes, hexToBytes } from '../../../primitives/hex.ts'
import { decodeRlp, type RlpItem } from '../../../primitives/rlp.ts'
import type { KeyValueReader } from '../../../storage/key-value.ts'
import type { TransactionLocation } from '../../snapshot.ts'
import {
  encodeBody,
  encodeHeaderValue,
  encodeReceipts,
  hashInHeader,
  transactionHashes,
} from '../encoding/block-values.ts'
import { CorruptValueError, checkedContent } from '../encoding/checked-value.ts'
import { blockKey, heightIn, logGroupKey, withPrefix } from '../encoding/keys.ts'
import { logsOf, logWrites } from '../encoding/log-values.ts'
import type { TableName } from '../encoding/tables.ts'
import { put, remove, type Write } from '../encoding/write.ts'
import { postingKeys, postingWrites } from '../logs/log-postings.ts'
import { holderRemovals } from '../logs/token-holders.ts'

/** Writes of a block with its look-up entries by hash, transaction and log. */
export function* blockWrites(block: Block, receipts: readonly Receipt[]): Iterable<Write> {
  const { number } = block.header
  const key = blockKey(number)
  yield put('headers', key, encodeHeaderValue(block))
  yield put('bodies', key, encodeBody(block))
  yield put('receipts', key, encodeReceipts(receipts))
  yield put('blockNumbers', hexToBytes(block.hash), key)
  if (block.transactions.length === 0) return
  for (const [index, { hash }] of block.transactions.entries()) {
    yield put('transactionPlaces', hexToBytes(hash), logGroupKey(number, index))
  }
  yield* logWrites(block, receipts)
  yield* postingWrites(
    number,
    receipts.flatMap(({ logs }) => logs),
  )
}

/** Removes what `blockWrites` wrote, and the recipients that the block made holders. */
export function* blockRemovals(reader: KeyValueReader<TableName>, number: number): Iterable<Write> {
  const key = blockKey(number)
  yield remove('blockNumbers', hexToBytes(hashInHeader(headerContent(reader, number)!)))
  for (const hash of transactionHashes(blockItem(reader, 'bodies', number))) yield remove('transactionPlaces', hash)
  const logs = logsOf(reader, number).map(({ log }) => log)
  for (const posting of postingKeys(number, logs)) yield remove('logPostings', posting)
  yield* holderRemovals(reader, number, logs)
  for (const group of reader.range('logs', withPrefix(key))) yield remove('logs', group.key)
  yield remove('headers', key)
  yield remove('bodies', key)
  yield remove('receipts', key)
}

/** The header value without its checksum; `undefined` if there is no such block. */
export function headerContent(reader: KeyValueReader<TableName>, number: number): Bytes | undefined {
  const key = blockKey(number)
  const value = reader.get('headers', key)
  return value && checkedContent('headers', key, value)
}

/** Body or receipts of a stored block, as RLP. */
export function blockContent(reader: KeyValueReader<TableName>, table: 'bodies' | 'receipts', number: number): Bytes {
  const key = blockKey(number)
  const value = reader.get(table, key)
  if (value === undefined) throw new CorruptValueError(table, key, 'is missing')
  return checkedContent(table, key, value)
}

export function blockItem(reader: KeyValueReader<TableName>, table: 'bodies' | 'receipts', number: number): RlpItem {
  return decodeRlp(blockContent(reader, table, number))
}

export function readLocation(value: Bytes): TransactionLocation {
  return { blockNumber: heightIn(value), index: Buffer.from(value).readUInt32BE(8) }
}
