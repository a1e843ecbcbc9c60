import type { Block } from '../../chain/block/block.ts'
import { bloomUnion } from '../../chain/receipt/bloom.ts'
import type { Receipt } from '../../chain/receipt/receipt.ts'
import { encodeReceipt } from '../../chain/receipt/receipt-codec.ts'
import { TransactionDecodeError } from '../../chain/transaction/transaction-decode-error.ts'
import { type ImportFailure, importFailureMessage } from '../../engine/block/import-block.ts'
import { bytesToHex } from '../../primitives/hex.ts'
import { RlpError } from '../../primitives/rlp.ts'
import { CorruptValueError } from '../../state/chain-store/encoding/checked-value.ts'
import { describeKey } from '../../state/chain-store/encoding/key-description.ts'
import { TABLE_NAMES, type TableName } from '../../state/chain-store/encoding/tables.ts'
import { RecordError } from '../../state/records/record.ts'
import { TrieNodeError } from '../../state/trie/node-reading.ts'
import { orderedRoot } from '../../state/trie/ordered-root.ts'
import type { DamagedPart } from '../../storage/pages/check-pages.ts'
import { StorageError } from '../../storage/storage-error.ts'
import { RecoveryError } from '../machine/recovery-error.ts'

/** Something stored that is not what follows from the chain. */
export interface Difference {
  /** The block, account, record … */
  readonly where: string
  /** The member or the table. */
  readonly what: string
  /** The derived value. */
  readonly expected: string
  /** The stored value. */
  readonly got: string
}

/** One line. */
export function differenceText({ where, what, expected, got }: Difference): string {
  return `${where}: ${what}: expected ${expected}, got ${got}`
}

/**
 * Checks a stored block for consistency without executing it.
 *
 * @param decoded the same block, encoded and decoded again: hash, size and senders are derived anew
 */
export function storedBlockDifference(
  number: number,
  block: Block,
  receipts: readonly Receipt[],
  decoded: Block,
): Difference | undefined {
  const { header, transactions } = block
  const differs = (what: string, expected: string | number, got: string | number): Difference | undefined =>
    expected === got ? undefined : { where: `block ${number}`, what, expected: String(expected), got: String(got) }
  const bloom = bytesToHex(bloomUnion(receipts.map(({ logsBloom }) => logsBloom)))
  return (
    differs('number', number, header.number) ??
    differs('hash', decoded.hash, block.hash) ??
    differs('size', decoded.size, block.size) ??
    transactions
      .map(({ from }, index) => differs(`sender of transaction ${index}`, decoded.transactions[index]!.from, from))
      .find((difference) => difference !== undefined) ??
    differs('number of receipts', transactions.length, receipts.length) ??
    // Here the stored receipts are what is in doubt: the header's hash was right.
    differs('receipts root of the stored receipts', header.receiptsRoot, orderedRoot(receipts.map(encodeReceipt))) ??
    differs('logs bloom of the stored receipts', bytesToHex(header.logsBloom), bloom)
  )
}

export function failedImport(number: number, failure: ImportFailure): Difference {
  const where = `block ${number}`
  const got = importFailureMessage(failure)
  switch (failure.code) {
    case 'INVALID_TRANSACTION':
      return { where, what: `transaction ${failure.index}`, expected: 'one that may be executed', got }
    case 'BLOCK_TOO_LARGE':
    case 'INVALID_SYSTEM_TRANSACTION':
    case 'INVALID_DEPOSIT_EVENT':
    case 'SYSTEM_CALL_FAILED':
      return { where, what: 'the block', expected: 'one that may be imported', got }
    default:
      return { where, what: failure.member, expected: failure.expected, got: failure.got }
  }
}

/** Damaged pages of the database, as a difference. */
export function partDifference({ table, kind, from, to, pages }: DamagedPart): Difference {
  const where = TABLE_NAMES.includes(table as TableName)
    ? keysOf(table as TableName, from, kind === 'value' ? from : to)
    : 'the whole database'
  const got = `${pages.length} damaged (${kind}, page ${pages.join(', ')} of data.mdb)`
  return { where, what: `table ${table}`, expected: 'pages that match their checksums', got }
}

function keysOf(table: TableName, from: string, to: string | undefined): string {
  const first = from === '' ? 'the first entry' : describeKey(table, Buffer.from(from, 'hex'))
  if (to === from) return first
  return `${first} to ${to === undefined ? 'the last entry' : `before ${describeKey(table, Buffer.from(to, 'hex'))}`}`
}

/**
 * What an error says of the data that was read; `undefined`: it is about something else.
 *
 * @param where it was read, if the error does not know
 */
export function damageOf(error: unknown, where: string): Difference | undefined {
  if (error instanceof CorruptValueError) {
    const entry = describeKey(error.table, error.key)
    return {
      where: entry,
      what: `table ${error.table}`,
      expected: 'what was written',
      got: `a value that ${error.reason}`,
    }
  }
  if (error instanceof TrieNodeError) {
    return { where: `trie node ${error.key}`, what: 'table trieNodes', expected: 'the node', got: error.message }
  }
  if (error instanceof StorageError && error.code === 'DATA_DAMAGED') {
    return { where, what: `table ${error.table}`, expected: 'what was written', got: error.message }
  }
  const isOfLog = error instanceof StorageError && error.code === 'LOG_CORRUPT'
  if (isOfLog || error instanceof RecordError || error instanceof RecoveryError) {
    return { where: 'records', what: 'record log', expected: 'records that fit', got: error.message }
  }
  if (error instanceof RlpError || error instanceof TransactionDecodeError) {
    return { where, what: 'encoding', expected: 'what was written', got: error.message }
  }
  return undefined
}
