import type { Block } from '../../chain/block.ts'
import type { Log } from '../../chain/log.ts'
import type { Receipt } from '../../chain/receipt.ts'
import { logItem, readLog } from '../../chain/receipt-codec.ts'
import { readHash, readList, readNumber } from '../../chain/rlp-fields.ts'
import { type Bytes, type Hash, hexToBytes } from '../../primitives/hex.ts'
import { bigintToBytes } from '../../primitives/quantity.ts'
import { decodeRlp, type RlpItem } from '../../primitives/rlp.ts'
import type { Entry, KeyValueReader } from '../../storage/key-value.ts'
import type { TableName } from '../../storage/tables.ts'
import { CorruptValueError, checkedContent, encodeChecked } from './checked-value.ts'
import { blockKey, logGroupKey, withPrefix } from './keys.ts'
import { put, type Write } from './write.ts'

/** A log with the transaction that emitted it. */
export interface StoredLog {
  readonly log: Log
  readonly transactionHash: Hash
  readonly transactionIndex: number
}

/**
 * Logs share values in groups: a block of 200 token transfers is 50 puts, and one log is found in about 800 bytes. Values
 * of 1.5 KB (groups of 8) would take twice the disk: LMDB moves two entries when the last page is full, so one stays.
 */
export const LOGS_PER_GROUP = 4

/** The logs of a block, apart from its receipts, so that one can be read alone. */
export function* logWrites(block: Block, receipts: readonly Receipt[]): Iterable<Write> {
  let group: RlpItem[] = []
  let groups = 0
  for (const [index, { logs }] of receipts.entries()) {
    const transaction = [bigintToBytes(BigInt(index)), hexToBytes(block.transactions[index]!.hash)]
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

/** @throws CorruptValueError */
export function readLogGroup({ key, value }: Entry): readonly StoredLog[] {
  return readList(decodeRlp(checkedContent('logs', key, value)), 'a group of logs').map(readStoredLog)
}

export function missingLog(key: Bytes, logIndex: number): CorruptValueError {
  return new CorruptValueError('logs', key, `lacks log ${logIndex}, which the index names`)
}

function readStoredLog(item: RlpItem): StoredLog {
  const [index, hash, log] = readList(item, 'a stored log', [3])
  return {
    log: readLog(log!),
    transactionHash: readHash(hash, 'transactionHash'),
    transactionIndex: readNumber(index, 'transactionIndex'),
  }
}
