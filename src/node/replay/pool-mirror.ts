import type { DroppedTransaction } from '../../chain/transaction/drop-reason.ts'
import type { PoolTransaction } from '../../chain/transaction/transaction.ts'
import { DEFAULT_POOL_OPTIONS, type PoolOptions } from '../../pool/options.ts'
import type { Hash } from '../../primitives/hex.ts'
import type { CurrentView } from '../core/current-view.ts'

/**
 * What may wait is decided by the node that sequences: here it has only to fit. There it stays when its sender has less, or was
 * delegated, since.
 */
export const MIRRORED_POOL: PoolOptions = {
  ...DEFAULT_POOL_OPTIONS,
  maxTransactions: 1_000_000,
  maxBytes: 2 ** 30,
  maxPerSender: 1_000_000,
  maxGappedPerSender: 1_000_000,
  judgesSenders: false,
  minimumTip: 0n,
  replacementBumpPercent: 0n,
  blobReplacementBumpPercent: 0n,
  maxTransactionSize: 2 ** 24,
  lifetimeMs: Number.POSITIVE_INFINITY,
}

/** What waited before there was a state to judge it by. */
interface Collected {
  readonly pooled: Map<Hash, PoolTransaction>
  readonly dropped: Map<Hash, DroppedTransaction>
  /** The first record whose state they can be judged by. */
  readonly until: number
  /** Of the newest record that listed what waits. */
  listed: readonly PoolTransaction[] | undefined
}

/** Keeps the pool as the records say: what enters it and what leaves it is decided by the node that sequences. */
export class PoolMirror {
  readonly #current: CurrentView
  #collected: Collected | undefined

  constructor(current: CurrentView) {
    this.#current = current
  }

  /** Begins with what waits; it enters the pool when the records are applied up to `until`. */
  begin(pooled: readonly PoolTransaction[], dropped: readonly DroppedTransaction[], until: number): void {
    this.#collected = {
      pooled: new Map(pooled.map((transaction) => [transaction.hash, transaction])),
      dropped: new Map(dropped.map((transaction) => [transaction.hash, transaction])),
      until,
      listed: undefined,
    }
  }

  add(transactions: readonly PoolTransaction[]): void {
    if (this.#collected !== undefined) this.#collected.listed = transactions
    for (const transaction of transactions) {
      if (this.#collected !== undefined) this.#collected.pooled.set(transaction.hash, transaction)
      // Refused where a record repeats it, or where a block included it meanwhile: its nonce is used then.
      else this.#current.take(transaction)
    }
  }

  drop(transactions: readonly DroppedTransaction[]): void {
    if (this.#collected !== undefined) {
      for (const dropped of transactions) {
        this.#collected.pooled.delete(dropped.hash)
        this.#collected.dropped.set(dropped.hash, dropped)
      }
      return
    }
    for (const { hash, reason } of transactions) this.#current.leave(hash, reason)
  }

  /** Blocks are taken back before what was collected enters the pool: what waits then is in the record before. */
  unwound(): void {
    if (this.#collected?.listed === undefined) return
    this.#collected.pooled.clear()
    for (const transaction of this.#collected.listed) this.#collected.pooled.set(transaction.hash, transaction)
  }

  /** Records are applied up to `sequence`, and a head shows them. */
  applied(sequence: number): void {
    const collected = this.#collected
    if (collected === undefined || sequence < collected.until || !this.#current.isShown) return
    this.#collected = undefined
    this.#current.restorePool([...collected.pooled.values()], [...collected.dropped.values()])
  }

  /** Whether these are all that wait: then no record before is needed for the pool. */
  isAll(transactions: readonly PoolTransaction[]): boolean {
    if (this.#collected !== undefined || transactions.length < this.#current.view().pool.size) return false
    const given = new Set(transactions.map(({ hash }) => hash))
    return this.#current.waiting().every(({ hash }) => given.has(hash))
  }
}
