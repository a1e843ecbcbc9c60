import { readHeader } from '../../chain/block/header-codec.ts'
import type { Log } from '../../chain/receipt/log.ts'
import { readLog } from '../../chain/receipt/receipt-codec.ts'
import { readBytes, readNumber } from '../../chain/rlp-fields.ts'
import type { Address, Bytes, Hash } from '../../primitives/hex.ts'
import { keccakHash } from '../../primitives/keccak.ts'
import { decodeRlp, RlpError, rlpItems } from '../../primitives/rlp.ts'
import type { StateDiff } from '../state-diff.ts'
import { decodeRecord, RECORD_KINDS, RecordError } from './record.ts'

/** A log with its position in its block. */
export interface PlacedLog {
  readonly log: Log
  readonly logIndex: number
  readonly transactionHash: Hash
}

/** The logs of a flashblock. */
export interface LoggedFlashblock {
  readonly kind: 'flashblock'
  readonly number: number
  readonly index: number
  readonly parentHash: Hash
  /** Hash of the block so far. */
  readonly hash: Hash
  /** Unix seconds of the block. */
  readonly timestamp: bigint
  readonly logs: readonly PlacedLog[]
}

/** A record, for readers that need its logs only. */
export type LoggedRecord =
  | LoggedFlashblock
  /** Everything above this block is removed. `altered`: accounts that are changed from outside. */
  | { readonly kind: 'unwind'; readonly number: number; readonly hash: Hash; readonly altered: ReadonlySet<Address> }
  | { readonly kind: 'alter'; readonly number: number; readonly altered: ReadonlySet<Address> }
  /** A record that changes neither blocks nor state. */
  | { readonly kind: 'other' }

const OTHER: LoggedRecord = Object.freeze({ kind: 'other' })
const NONE: ReadonlySet<Address> = new Set()

/** Chooses logs. */
export interface RecordLogFilter {
  /** Called with all logs of a transaction in order, before any of them is chosen. */
  note(log: Log): void
  isWanted(log: Log): boolean
}

/**
 * Reads a record without decoding its transactions and state changes, which are most of it.
 *
 * @throws RecordError
 */
export function readLoggedRecord(payload: Bytes, filter: RecordLogFilter): LoggedRecord {
  try {
    const [, kind, ...members] = rlpItems(payload)
    switch (readNumber(kind && decodeRlp(kind), 'kind')) {
      case RECORD_KINDS.flashblock:
        return flashblockOf(members, filter)
      case RECORD_KINDS.unwind:
      case RECORD_KINDS.alter:
        return changeFromOutside(payload)
      default:
        return OTHER
    }
  } catch (error) {
    if (error instanceof RlpError) throw new RecordError(error.message)
    throw error
  }
}

function flashblockOf(members: readonly Bytes[], filter: RecordLogFilter): LoggedFlashblock {
  const [header, index, transactions, receipts] = members as [Bytes, Bytes, Bytes, Bytes]
  const { number, parentHash, timestamp } = readHeader(decodeRlp(header))
  return {
    kind: 'flashblock',
    number,
    index: readNumber(decodeRlp(index), 'index'),
    parentHash,
    hash: keccakHash(header),
    timestamp,
    logs: logsOf(rlpItems(transactions), rlpItems(receipts), filter),
  }
}

function logsOf(
  transactions: readonly Bytes[],
  receipts: readonly Bytes[],
  filter: RecordLogFilter,
): readonly PlacedLog[] {
  const found: PlacedLog[] = []
  for (const [index, receipt] of receipts.entries()) {
    const members = rlpItems(receipt)
    const logs = rlpItems(members[LOGS]!).map((item) => readLog(decodeRlp(item)))
    for (const log of logs) filter.note(log)
    if (!logs.some((log) => filter.isWanted(log))) continue
    const firstLogIndex = readNumber(decodeRlp(members[FIRST_LOG_INDEX]!), 'firstLogIndex')
    const [raw] = rlpItems(transactions[index]!)
    const transactionHash = keccakHash(readBytes(decodeRlp(raw!), 'raw'))
    for (const [position, log] of logs.entries()) {
      if (filter.isWanted(log)) found.push({ log, logIndex: firstLogIndex + position, transactionHash })
    }
  }
  return found
}

/** Members of a receipt in a record (`receiptItem`). */
const LOGS = 5
const FIRST_LOG_INDEX = 6

function changeFromOutside(payload: Bytes): LoggedRecord {
  const record = decodeRecord(payload)
  if (record.kind === 'alter') return { kind: 'alter', number: record.number, altered: addressesIn(record.diff) }
  if (record.kind !== 'unwind') return OTHER
  const { number, hash, alterations } = record
  return { kind: 'unwind', number, hash, altered: alterations === undefined ? NONE : addressesIn(alterations) }
}

function addressesIn({ accounts, storage }: StateDiff): ReadonlySet<Address> {
  return new Set([...accounts.keys(), ...storage.keys()])
}
