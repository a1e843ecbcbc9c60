import type { Header } from '../../chain/block/header.ts'
import { bloomUnion } from '../../chain/receipt/bloom.ts'
import type { Receipt } from '../../chain/receipt/receipt.ts'
import { encodeReceipt } from '../../chain/receipt/receipt-codec.ts'
import type { RecoveredTransaction } from '../../chain/transaction/transaction.ts'
import { emptyOrderedTrie, type OrderedTrie } from '../../state/trie/ordered-trie.ts'
import { RecoveryError } from './recovery-error.ts'

/** The roots of a block so far, to compare with its header. */
export interface BlockRoots {
  readonly transactions: OrderedTrie
  readonly receipts: OrderedTrie
  readonly logsBloom: Uint8Array
  readonly gasUsed: number
}

interface Added {
  readonly transactions: readonly RecoveredTransaction[]
  readonly receipts: readonly Receipt[]
}

/** The roots of a block without transactions. */
export function emptyRoots(): BlockRoots {
  return {
    transactions: emptyOrderedTrie(),
    receipts: emptyOrderedTrie(),
    logsBloom: bloomUnion([]),
    gasUsed: 0,
  }
}

export function withAdded(roots: BlockRoots, { transactions, receipts }: Added): BlockRoots {
  if (transactions.length === 0) return roots
  return {
    transactions: roots.transactions.append(transactions.map(({ raw }) => raw)),
    receipts: roots.receipts.append(receipts.map(encodeReceipt)),
    logsBloom: bloomUnion([roots.logsBloom, ...receipts.map(({ logsBloom }) => logsBloom)]),
    gasUsed: receipts.at(-1)?.cumulativeGasUsed ?? roots.gasUsed,
  }
}

/**
 * Compares the roots, the bloom and the gas of a header with those of its transactions and receipts.
 *
 * @throws RecoveryError
 */
export function checkRoots(header: Header, roots: BlockRoots): void {
  const { number, transactionsRoot, receiptsRoot, logsBloom, gasUsed } = header
  if (roots.transactions.size !== roots.receipts.size) throw wrong(number, 'number of receipts')
  if (roots.transactions.root !== transactionsRoot) throw wrong(number, 'transactions root')
  if (roots.receipts.root !== receiptsRoot) throw wrong(number, 'receipts root')
  if (Buffer.compare(roots.logsBloom, logsBloom) !== 0) throw wrong(number, 'logs bloom')
  if (roots.gasUsed !== gasUsed) throw wrong(number, 'gas used')
}

function wrong(number: number, what: string): RecoveryError {
  return new RecoveryError(`the ${what} of block ${number} is not what its records give`)
}
