import type { Withdrawal } from '../../chain/block/block.ts'
import { readWithdrawal, withdrawalItem } from '../../chain/block/block-codec.ts'
import type { Header } from '../../chain/block/header.ts'
import { headerItem, readHeader } from '../../chain/block/header-codec.ts'
import type { Receipt } from '../../chain/receipt/receipt.ts'
import { readBytes, readHash, readList, readNumber } from '../../chain/rlp-fields.ts'
import type { DroppedTransaction } from '../../chain/transaction/drop-reason.ts'
import { DEPOSIT_TYPE, type PoolTransaction, type RecoveredTransaction } from '../../chain/transaction/transaction.ts'
import { TransactionDecodeError } from '../../chain/transaction/transaction-decode-error.ts'
import type { Bytes, Hash } from '../../primitives/hex.ts'
import { decodeRlp, encodeRlp, RlpError, type RlpItem, type RlpSource } from '../../primitives/rlp.ts'
import type { StateDiff } from '../state-diff.ts'
import { diffItem, readDiff } from './diff-codec.ts'
import { droppedItem, readDropped } from './drop-codec.ts'
import { readReceipt, receiptItem } from './receipt-codec.ts'
import {
  readOrLookUp,
  readRecoveredTransaction,
  readWaitingTransaction,
  recoveredTransactionItem,
  type TransactionLookup,
  waitingTransactionItem,
} from './transaction-codec.ts'

/** Content of one flashblock with the header of its block so far. */
export interface FlashblockRecord {
  readonly kind: 'flashblock'
  readonly header: Header
  readonly index: number
  readonly transactions: readonly RecoveredTransaction[]
  readonly receipts: readonly Receipt[]
  readonly diff: StateDiff
  /** Withdrawals of the whole block (EIP-4895). */
  readonly withdrawals: readonly Withdrawal[]
  /**
   * Whether it completes its block: the calls and withdrawals that end a block are in its diff, and only the seal can
   * follow. The schedule does not tell: slots may be missed, and a restart may change them.
   */
  readonly isLast: boolean
}

/** The open block is sealed: its last flashblock is the final block. */
export interface SealRecord {
  readonly kind: 'seal'
  readonly number: number
  readonly hash: Hash
}

/**
 * Removes everything above this block (`debug_setHead`), and its alterations. On a fork it may also name another fork
 * block, on which the chain begins anew: one that the records before it do not contain.
 */
export interface UnwindRecord {
  readonly kind: 'unwind'
  readonly number: number
  readonly hash: Hash
  /** Alterations of the block from now on. One record, so that a revert to a snapshot is atomic. */
  readonly alterations?: StateDiff
}

/**
 * State changes from outside (development nodes) that apply after this block and before the next one. A flashblock
 * with index 0 follows, which replaces the open block; that one has no transactions.
 */
export interface AlterRecord {
  readonly kind: 'alter'
  /** The newest sealed block. */
  readonly number: number
  readonly hash: Hash
  /** Applies after earlier alterations of the block. */
  readonly diff: StateDiff
}

/** Transactions added to the pool. */
export interface PoolRecord {
  readonly kind: 'pool'
  readonly transactions: readonly PoolTransaction[]
}

/** Transactions that left the pool without inclusion, with the reasons, which followers cannot derive. */
export interface DropRecord {
  readonly kind: 'drop'
  readonly transactions: readonly DroppedTransaction[]
}

/**
 * Another leader produces blocks from here on (failover). The open block continues; the record's sequence number is the
 * epoch.
 */
export interface EpochRecord {
  readonly kind: 'epoch'
  /** Name of the leader, for people. */
  readonly leader: string
  /** Random, to distinguish epochs of nodes with the same name in a replicated log. */
  readonly token: Bytes
}

/**
 * One step of a node's history. The write-ahead log, the replica stream and the stream to workers consist of these
 * records, numbered without gaps by their carrier.
 */
export type ChainRecord =
  | FlashblockRecord
  | SealRecord
  | UnwindRecord
  | AlterRecord
  | PoolRecord
  | DropRecord
  | EpochRecord

type Kind = ChainRecord['kind']

/** Version of the encoding; a reader rejects others. */
const VERSION = 1

/** Number of each kind in encoded records. */
export const RECORD_KINDS = {
  flashblock: 1,
  seal: 2,
  unwind: 3,
  pool: 4,
  drop: 5,
  epoch: 6,
  alter: 7,
} as const satisfies Record<Kind, number>

/** Sixth member of the record of a flashblock: whether it is the last one of its block. */
const NOT_LAST = 0
const LAST = 1

/** A record that this version cannot decode. */
export class RecordError extends Error {
  readonly code = 'INVALID_RECORD'
  override readonly name = 'RecordError'
}

/** @example decodeRecord(encodeRecord(record)) // equal to record */
export function encodeRecord(record: ChainRecord): Bytes {
  return encodeRlp([VERSION, RECORD_KINDS[record.kind], ...members(record)])
}

/** @throws RecordError */
export function decodeRecord(bytes: Bytes): ChainRecord {
  return decodeRecordWith(bytes, undefined)
}

/**
 * As `decodeRecord`, for a reader that has decoded most transactions already.
 *
 * @throws RecordError
 */
export function decodeRecordWith(bytes: Bytes, lookup: TransactionLookup | undefined): ChainRecord {
  try {
    const [version, kind, ...rest] = readList(decodeRlp(bytes), 'a record')
    if (readNumber(version, 'version') !== VERSION) {
      throw new RecordError(`a record of version ${readNumber(version, 'version')}; this program reads ${VERSION}`)
    }
    const read = READERS_BY_NUMBER.get(readNumber(kind, 'kind'))
    if (read === undefined) throw new RecordError(`a record of the unknown kind ${readNumber(kind, 'kind')}`)
    return read(rest, lookup)
  } catch (error) {
    if (error instanceof RlpError || error instanceof TransactionDecodeError) throw new RecordError(error.message)
    throw error
  }
}

function members(record: ChainRecord): RlpSource[] {
  switch (record.kind) {
    case 'flashblock':
      return [
        headerItem(record.header),
        record.index,
        record.transactions.map(recoveredTransactionItem),
        record.receipts.map(receiptItem),
        diffItem(record.diff),
        // Absent where they say nothing, as in records of programs that did not know them.
        ...endItems(record),
      ]
    case 'seal':
      return [record.number, record.hash]
    case 'unwind': {
      const { number, hash, alterations } = record
      return alterations === undefined ? [number, hash] : [number, hash, diffItem(alterations)]
    }
    case 'alter':
      return [record.number, record.hash, diffItem(record.diff)]
    case 'pool':
      return [record.transactions.map(waitingTransactionItem)]
    case 'drop':
      return [record.transactions.map(droppedItem)]
    case 'epoch':
      return [Buffer.from(record.leader, 'utf8'), record.token]
  }
}

function endItems({ isLast, withdrawals }: FlashblockRecord): RlpSource[] {
  if (withdrawals.length > 0) return [isLast ? LAST : NOT_LAST, withdrawals.map(withdrawalItem)]
  return isLast ? [LAST] : []
}

/** Reads the members of a record after its kind. */
type ReadMembers<Read extends ChainRecord> = (list: readonly RlpItem[], lookup: TransactionLookup | undefined) => Read

const READERS: { readonly [K in Kind]: ReadMembers<Extract<ChainRecord, { kind: K }>> } = {
  flashblock(list, lookup) {
    const [header, index, transactions, receipts, diff, last, withdrawals] = readList(
      list,
      'a flashblock record',
      [5, 6, 7],
    )
    const isLast = last !== undefined && readNumber(last, 'last') === LAST
    const isNotLast = last === undefined || (withdrawals !== undefined && readNumber(last, 'last') === NOT_LAST)
    if (!isLast && !isNotLast) throw new RecordError('last is not 1')
    return {
      kind: 'flashblock',
      header: readHeader(header),
      index: readNumber(index, 'index'),
      transactions: readList(transactions, 'transactions').map((item) =>
        lookup === undefined ? readRecoveredTransaction(item) : readOrLookUp(item, lookup),
      ),
      receipts: readList(receipts, 'receipts').map(readReceipt),
      diff: readDiff(diff),
      withdrawals: withdrawals === undefined ? [] : readList(withdrawals, 'withdrawals').map(readWithdrawal),
      isLast,
    }
  },
  seal(list) {
    const [height, hash] = readList(list, 'a seal record', [2])
    return { kind: 'seal', number: readNumber(height, 'number'), hash: readHash(hash, 'hash') }
  },
  unwind(list) {
    const [height, hash, alterations] = readList(list, 'an unwind record', [2, 3])
    return {
      kind: 'unwind',
      number: readNumber(height, 'number'),
      hash: readHash(hash, 'hash'),
      ...(alterations !== undefined && { alterations: readDiff(alterations) }),
    }
  },
  alter(list) {
    const [height, hash, diff] = readList(list, 'an alter record', [3])
    return { kind: 'alter', number: readNumber(height, 'number'), hash: readHash(hash, 'hash'), diff: readDiff(diff) }
  },
  pool(list) {
    const [transactions] = readList(list, 'a pool record', [1])
    return { kind: 'pool', transactions: readList(transactions, 'transactions').map(readPoolTransaction) }
  },
  drop(list) {
    const [transactions] = readList(list, 'a drop record', [1])
    return { kind: 'drop', transactions: readList(transactions, 'transactions').map(readDropped) }
  },
  epoch(list) {
    const [leader, token] = readList(list, 'an epoch record', [2])
    return {
      kind: 'epoch',
      leader: Buffer.from(readBytes(leader, 'leader')).toString('utf8'),
      token: readBytes(token, 'token'),
    }
  },
}

const READERS_BY_NUMBER = new Map<number, ReadMembers<ChainRecord>>(
  // The compiler types the keys of an object as strings.
  (Object.keys(RECORD_KINDS) as Kind[]).map((kind) => [RECORD_KINDS[kind], READERS[kind]]),
)

function readPoolTransaction(item: RlpItem): PoolTransaction {
  const transaction = readWaitingTransaction(item)
  if (transaction.type === DEPOSIT_TYPE) throw new RecordError('a deposit does not wait in the pool')
  return transaction
}
