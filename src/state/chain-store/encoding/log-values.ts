import type { Block } from '../../../chain/block/block.ts'
import type { Log } from '../../../chain/receipt/log.ts'
import type { Receipt } from '../../../chain/receipt/receipt.ts'
import { logItem } from '../../../chain/receipt/receipt-codec.ts'
import type { Address, Bytes, Hash } from '../../../primitives/hex.ts'
import type { RlpSource } from '../../../primitives/rlp.ts'
import { RlpReader } from '../../../primitives/rlp-reader.ts'
import type { Entry, KeyValueReader } from '../../../storage/key-value.ts'
import { CorruptValueError, checkedContent, encodeChecked } from './checked-value.ts'
import { blockKey, logGroupKey, withPrefix } from './keys.ts'
import type { TableName } from './tables.ts'
import { put, type Write } from './write.ts'

/** A log with the transaction that emitted it. */
export interface StoredLog {
  readonly log: Log
  readonly transactionHash: Hash
  readonly transactionIndex: number
}

/**
 * Logs are stored in groups: a block of 200 token transfers takes 50 puts, and a single log is found in about 800
 * bytes. Groups of 8 (1.5 KB) would take twice the disk space, since only one such entry fits after a page split.
 */
export const LOGS_PER_GROUP = 4

/** The logs of a block, stored apart from its receipts so that one can be read alone. */
export function* logWrites(block: Block, receipts: readonly Receipt[]): Iterable<Write> {
  let group: RlpSource[] = []
  let groups = 0
  for (const [index, { logs }] of receipts.entries()) {
    const transaction = [index, block.transactions[index]!.hash]
    for (const log of logs) {
      group.push([...transaction, logItem(log)])
      if (group.length < LOGS_PER_GROUP) continue
      yield put('logs', logGroupKey(block.header.number, groups), encodeChecked(group))
      groups += 1
      group = []
    }
  }
  if (group.length > 0) yield put('logs', logGroupKey(block.header.number, groups), encodeChecked(group))
}

/** All logs of a block, in order. */
export function logsOf(reader: KeyValueReader<TableName>, number: number): readonly StoredLog[] {
  return [...reader.range('logs', withPrefix(blockKey(number)))].flatMap(readLogGroup)
}

/** Up to `count` logs of a block from index `first` on. */
export function logsFrom(
  reader: KeyValueReader<TableName>,
  number: number,
  first: number,
  count: number,
): readonly StoredLog[] {
  if (count === 0) return []
  const firstGroup = Math.floor(first / LOGS_PER_GROUP)
  const range = { from: logGroupKey(number, firstGroup), to: logGroupKey(number, firstGroup + groupsOf(first, count)) }
  const start = first - firstGroup * LOGS_PER_GROUP
  return [...reader.range('logs', range)].flatMap(readLogGroup).slice(start, start + count)
}

/** Number of groups that a range of logs spans. */
function groupsOf(first: number, count: number): number {
  return Math.ceil(((first % LOGS_PER_GROUP) + count) / LOGS_PER_GROUP)
}

/** @throws CorruptValueError; RlpError */
export function readLogGroup({ key, value }: Entry): readonly StoredLog[] {
  const reader = new RlpReader(checkedContent('logs', key, value))
  const group: StoredLog[] = []
  const end = reader.list('a group of logs')
  while (reader.offset < end) group.push(readStoredLog(reader))
  reader.leave(end, 'a group of logs')
  return group
}

export function missingLog(key: Bytes, logIndex: number): CorruptValueError {
  return new CorruptValueError('logs', key, `lacks log ${logIndex}, which the index names`)
}

function readStoredLog(reader: RlpReader): StoredLog {
  const end = reader.list('a stored log')
  const transactionIndex = reader.number('transactionIndex')
  const transactionHash = reader.hex('transactionHash', 32) as Hash
  const logEnd = reader.list('a log')
  const address = reader.hex('address of a log', 20) as Address
  const topicsEnd = reader.list('topics')
  const topics: Hash[] = []
  while (reader.offset < topicsEnd) topics.push(reader.hex('a topic', 32) as Hash)
  reader.leave(topicsEnd, 'topics')
  // A copy: the input may be memory of the store.
  const log: Log = { address, topics, data: new Uint8Array(reader.bytes('data of a log')) }
  reader.leave(logEnd, 'a log')
  reader.leave(end, 'a stored log')
  return { log, transactionHash, transactionIndex }
}
