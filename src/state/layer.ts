import type { Withdrawal } from '../chain/block/block.ts'
import type { Header } from '../chain/block/header.ts'
import type { Receipt } from '../chain/receipt/receipt.ts'
import type { RecoveredTransaction } from '../chain/transaction/transaction.ts'
import type { Hash } from '../primitives/hex.ts'
import type { StateDiff } from './state-diff.ts'

/** One flashblock: what it added to its block. Frozen. */
export interface Layer {
  /** Header of the block so far, with its roots. */
  readonly header: Header
  /** Hash of that header: provisional, or the final one for the last flashblock of a block. */
  readonly hash: Hash
  /** Index in the block; flashblock 0 holds system transactions only. */
  readonly index: number
  /** Index in the block of the first transaction. */
  readonly firstTransaction: number
  /** Transactions of this flashblock only, as are `receipts` and `diff`. */
  readonly transactions: readonly RecoveredTransaction[]
  /** Index in the block by transaction hash. */
  readonly positions: ReadonlyMap<Hash, number>
  readonly receipts: readonly Receipt[]
  readonly diff: StateDiff
  /** Withdrawals of the whole block (EIP-4895); they are applied after its last transaction. */
  readonly withdrawals: readonly Withdrawal[]
  /** Whether it completes its block: only the seal follows. */
  readonly isLast: boolean
}

const NO_TRANSACTIONS: readonly RecoveredTransaction[] = Object.freeze([])
const NO_RECEIPTS: readonly Receipt[] = Object.freeze([])
const NO_POSITIONS: ReadonlyMap<Hash, number> = new Map()

/** A layer from the content of a flashblock. `firstTransaction`: number of transactions before it in the block. */
export function createLayer(content: Omit<Layer, 'positions'>): Layer {
  const { header, hash, index, firstTransaction, transactions, receipts, diff, withdrawals, isLast } = content
  const isEmpty = transactions.length === 0
  return Object.freeze({
    header,
    hash,
    index,
    firstTransaction,
    transactions: isEmpty ? NO_TRANSACTIONS : Object.freeze([...transactions]),
    positions: isEmpty ? NO_POSITIONS : new Map(transactions.map(({ hash }, at) => [hash, firstTransaction + at])),
    receipts: isEmpty ? NO_RECEIPTS : Object.freeze([...receipts]),
    diff,
    withdrawals,
    isLast,
  })
}
