import type { DroppedTransaction } from '../../chain/transaction/drop-reason.ts'
import type { PoolTransaction } from '../../chain/transaction/transaction.ts'
import type { Hash } from '../../primitives/hex.ts'
import type { RemovedTransaction } from '../view/pool-reconciler.ts'

/** The pool as of a record. */
export interface RecordedPool {
  readonly waiting: readonly PoolTransaction[]
  /** Oldest first. */
  readonly dropped: readonly DroppedTransaction[]
}

interface Leaving {
  /** The record of the drop. */
  readonly sequence: number
  readonly transactions: readonly RemovedTransaction[]
}

/**
 * Pool changes by records that can still be lost: by power loss, or because another leader publishes others in their
 * place. A follower that starts from them would never learn that they did not happen.
 */
export class UnacknowledgedPool {
  /** Submitted transactions by record; they enter the pool when it is durable. */
  readonly #inFlight = new Map<PoolTransaction, number>()
  /** Dropped transactions in the order of the records. */
  readonly #leaving: Leaving[] = []

  get inFlight(): Iterable<PoolTransaction> {
    return this.#inFlight.keys()
  }

  arrives(transaction: PoolTransaction, sequence: number): void {
    this.#inFlight.set(transaction, sequence)
  }

  /** The transaction has entered the pool or was refused. */
  arrived(transaction: PoolTransaction): void {
    this.#inFlight.delete(transaction)
  }

  /** @param durable the newest durable record */
  leaves(leaving: Leaving, durable: number): void {
    while (this.#leaving[0] !== undefined && this.#leaving[0].sequence <= durable) this.#leaving.shift()
    this.#leaving.push(leaving)
  }

  /** Transactions dropped by records after this one. */
  droppedAfter(sequence: number): readonly RemovedTransaction[] {
    return this.#leaving.filter((one) => one.sequence > sequence).flatMap(({ transactions }) => transactions)
  }

  /** @param pool the current pool */
  asOf(sequence: number, { waiting, dropped }: RecordedPool): RecordedPool {
    const arrived = Array.from(this.#inFlight).flatMap(([transaction, at]) => (at <= sequence ? transaction : []))
    const left = this.droppedAfter(sequence)
    const notDurable = new Set<Hash>(left.map(({ hash }) => hash))
    return {
      // The replaced transaction precedes its replacement.
      waiting: [...left.flatMap(({ transaction }) => transaction ?? []), ...waiting, ...arrived],
      dropped: dropped.filter(({ hash }) => !notDurable.has(hash)),
    }
  }
}
