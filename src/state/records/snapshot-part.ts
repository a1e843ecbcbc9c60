import type { Block } from '../../chain/block/block.ts'
import { readWithdrawal, withdrawalItem } from '../../chain/block/block-codec.ts'
import { hashHeader, headerItem, readHeader } from '../../chain/block/header-codec.ts'
import type { Receipt } from '../../chain/receipt/receipt.ts'
import { readAddress, readBytes, readList, readNumber } from '../../chain/rlp-fields.ts'
import { TransactionDecodeError } from '../../chain/transaction/transaction-decode-error.ts'
import { type Bytes, hexToBytes } from '../../primitives/hex.ts'
import { bigintToBytes } from '../../primitives/quantity.ts'
import { decodeRlp, encodeRlp, RlpError, type RlpItem, type RlpSource } from '../../primitives/rlp.ts'
import { emptyDiff } from '../diff.ts'
import type { HolderPart } from '../snapshot.ts'
import type { StateDiff } from '../state-diff.ts'
import { diffItem, readDiff } from './diff-codec.ts'
import { readReceipt, receiptItem } from './receipt-codec.ts'
import { decodeRecord, encodeRecord, RecordError } from './record.ts'
import { isPoolChange, type PoolChange } from './record-kinds.ts'
import { readRecoveredTransaction, recoveredTransactionItem } from './transaction-codec.ts'

/** A chunk of a snapshot transfer, made of the same items as records. */
export type SnapshotPart =
  /** Accounts, slots and code; an account repeats when its slots exceed a chunk. */
  | { readonly kind: 'state'; readonly diff: StateDiff }
  /** Encoded as state without changes, which an older program accepts; after the state and before the blocks. */
  | ({ readonly kind: 'holders' } & HolderPart)
  /** Oldest first. */
  | { readonly kind: 'block'; readonly block: Block; readonly receipts: readonly Receipt[] }
  /** Pooled transactions, or dropped ones with their reasons. */
  | { readonly kind: 'pool'; readonly record: PoolChange }

const KINDS = { state: 1, block: 2, pool: 3 } as const

export function encodeSnapshotPart(part: SnapshotPart): Bytes {
  switch (part.kind) {
    case 'state':
      return encodeRlp([number(KINDS.state), diffItem(part.diff)])
    case 'holders':
      return encodeRlp([number(KINDS.state), diffItem(emptyDiff()), [number(part.from), part.holders.map(holderItem)]])
    case 'block':
      return encodeRlp([number(KINDS.block), ...blockItems(part.block, part.receipts)])
    case 'pool':
      return encodeRlp([number(KINDS.pool), encodeRecord(part.record)])
  }
}

/** @throws RecordError */
export function decodeSnapshotPart(bytes: Bytes): SnapshotPart {
  try {
    const [kind, ...rest] = readList(decodeRlp(bytes), 'a part of a snapshot')
    return readPart(readNumber(kind, 'kind'), rest)
  } catch (error) {
    if (error instanceof RlpError || error instanceof TransactionDecodeError) throw new RecordError(error.message)
    throw error
  }
}

function readPart(kind: number, rest: readonly RlpItem[]): SnapshotPart {
  switch (kind) {
    case KINDS.state:
      if (rest.length > 1) return readHolderItems(rest[1])
      return { kind: 'state', diff: readDiff(rest[0]) }
    case KINDS.block:
      return { kind: 'block', ...readBlockItems(rest) }
    case KINDS.pool: {
      const record = decodeRecord(readBytes(rest[0], 'record'))
      if (isPoolChange(record)) return { kind: 'pool', record }
      throw new RecordError(`a ${record.kind} record is no part of a snapshot's pool`)
    }
    default:
      throw new RecordError(`a part of a snapshot of the unknown kind ${kind}`)
  }
}

function holderItem([token, { holder, since }]: HolderPart['holders'][number]): RlpSource {
  return [hexToBytes(token), hexToBytes(holder), number(since)]
}

function readHolderItems(item: RlpItem | undefined): Extract<SnapshotPart, { kind: 'holders' }> {
  const [from, entries] = readList(item, 'holders', [2, 2])
  const holders = readList(entries, 'holders').map((entry) => {
    const [token, holder, since] = readList(entry, 'a holder', [3, 3])
    const named = { holder: readAddress(holder, 'holder'), since: readNumber(since, 'block of a holder') }
    return [readAddress(token, 'token'), named] as const
  })
  return { kind: 'holders', from: readNumber(from, 'first block with holders'), holders }
}

function blockItems(block: Block, receipts: readonly Receipt[]): RlpSource[] {
  const { header, size, transactions, uncles, withdrawals } = block
  return [
    headerItem(header),
    number(size),
    transactions.map(recoveredTransactionItem),
    receipts.map(receiptItem),
    uncles.map(headerItem),
    ...(withdrawals === undefined ? [] : [withdrawals.map(withdrawalItem)]),
  ]
}

function readBlockItems(items: readonly RlpItem[]): { readonly block: Block; readonly receipts: readonly Receipt[] } {
  const list = readList(items, 'a block of a snapshot', [5, 6])
  const header = readHeader(list[0])
  return {
    block: {
      header,
      hash: hashHeader(header),
      size: readNumber(list[1], 'size'),
      transactions: readList(list[2], 'transactions').map(readRecoveredTransaction),
      uncles: readList(list[4], 'uncles').map(readHeader),
      ...(list.length > 5 && { withdrawals: readList(list[5], 'withdrawals').map(readWithdrawal) }),
    },
    receipts: readList(list[3], 'receipts').map(readReceipt),
  }
}

function number(value: number): Bytes {
  return bigintToBytes(BigInt(value))
}
