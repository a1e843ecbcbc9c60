import type { DroppedTransaction } from '../../chain/transaction/drop-reason.ts'
import type { PoolTransaction } from '../../chain/transaction/transaction.ts'
import type { Hash } from '../../primitives/hex.ts'

/** The pool as recorded, before there is a state to judge it by. */
export class PoolReplay {
  readonly #pooled: Map<Hash, PoolTransaction>
  readonly #dropped: Map<Hash, DroppedTransaction>
  /** The newest `pool` record: the one before an unwind lists the whole pool. */
  #listed: readonly PoolTransaction[]

  constructor(pooled: readonly PoolTransaction[] = [], dropped: readonly DroppedTransaction[] = []) {
    this.#pooled = new Map(pooled.map((transaction) => [transaction.hash, transaction]))
    this.#dropped = new Map(dropped.map((transaction) => [transaction.hash, transaction]))
    this.#listed = pooled
  }

  /** In order of arrival, including included transactions. */
  get pooled(): readonly PoolTransaction[] {
    return [...this.#pooled.values()]
  }

  /** Oldest first. */
  get dropped(): readonly DroppedTransaction[] {
    return [...this.#dropped.values()]
  }

  add(transactions: readonly PoolTransaction[]): void {
    this.#listed = transactions
    for (const transaction of transactions) this.#pooled.set(transaction.hash, transaction)
  }

  drop(transactions: readonly DroppedTransaction[]): void {
    for (const transaction of transactions) {
      this.#pooled.delete(transaction.hash)
      this.#dropped.set(transaction.hash, transaction)
    }
  }

  /** Transactions of unwound blocks do not return to the pool. */
  unwind(): void {
    this.#pooled.clear()
    for (const transaction of this.#listed) this.#pooled.set(transaction.hash, transaction)
  }
}
