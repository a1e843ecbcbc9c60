import type { Header } from '../chain/block/header.ts'
import type { Receipt } from '../chain/receipt/receipt.ts'
import type { RecoveredTransaction } from '../chain/transaction/transaction.ts'
import type { Hash } from '../primitives/hex.ts'
import type { StateDiff } from './state-diff.ts'

/** One flashblock: what it added to its block. Frozen. */
export interface Layer {
  /** Of the block so far, roots and all. */
  readonly header: Header
  /** Of that header: the partial hash, or the sealed one when this is the block's last flashblock. */
  readonly hash: Hash
  /** Position in the block; 0 holds system transactions only. */
  readonly index: number
  /** Position in the block of the first of `transactions`. */
  readonly firstTransaction: number
  /** Added by this flashblock, as are `receipts` and `diff`. */
  readonly transactions: readonly RecoveredTransaction[]
  /** Position in the block of each of `transactions`, by hash. */
  readonly positions: ReadonlyMap<Hash, number>
  readonly receipts: readonly Receipt[]
  readonly diff: StateDiff
}

/** A layer from what a flashblock added. `firstTransaction`: how many transactions its block had before. */
export function createLayer(content: Omit<Layer, 'positions'>): Layer {
  const { header, hash, index, firstTransaction, transactions, receipts, diff } = content
  return Object.freeze({
    header,
    hash,
    index,
    firstTransaction,
    transactions: Object.freeze([...transactions]),
    positions: new Map(transactions.map(({ hash }, at) => [hash, firstTransaction + at])),
    receipts: Object.freeze([...receipts]),
    diff,
  })
}
