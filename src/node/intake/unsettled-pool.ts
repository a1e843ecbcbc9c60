import type { DroppedTransaction } from '../../chain/transaction/drop-reason.ts'
import type { PoolTransaction } from '../../chain/transaction/transaction.ts'
import type { Hash } from '../../primitives/hex.ts'
import type { LeftTransaction } from '../core/current-view.ts'

/** A pool as the records up to one of them say. */
export interface RecordedPool {
  readonly waiting: readonly PoolTransaction[]
  /** The oldest first. */
  readonly dropped: readonly DroppedTransaction[]
}

interface Leaving {
  /** Of the record that says so. */
  readonly sequence: number
  readonly transactions: readonly LeftTransaction[]
}

/**
 * What comes into the pool or leaves it by records that can still be lost: with the power, or where another node publishes
 * others in their place. Whoever follows from here on would never hear that it was not so.
 */
export class UnsettledPool {
  /** By the record that holds each; they are in the pool when it is durable. */
  readonly #arriving = new Map<PoolTransaction, number>()
  /** In the order of the records. */
  readonly #leaving: Leaving[] = []

  get arriving(): Iterable<PoolTransaction> {
    return this.#arriving.keys()
  }

  arrives(transaction: PoolTransaction, sequence: number): void {
    this.#arriving.set(transaction, sequence)
  }

  /** It is in the pool, or will never be. */
  arrived(transaction: PoolTransaction): void {
    this.#arriving.delete(transaction)
  }

  /** @param durable the newest record that cannot be lost any more */
  leaves(leaving: Leaving, durable: number): void {
    while (this.#leaving[0] !== undefined && this.#leaving[0].sequence <= durable) this.#leaving.shift()
    this.#leaving.push(leaving)
  }

  /** What left the pool by records after this one. */
  leftAfter(sequence: number): readonly LeftTransaction[] {
    return this.#leaving.filter((one) => one.sequence > sequence).flatMap(({ transactions }) => transactions)
  }

  /** @param pool what is in it now, and left it */
  asOf(sequence: number, { waiting, dropped }: RecordedPool): RecordedPool {
    const arrived = Array.from(this.#arriving).flatMap(([transaction, at]) => (at <= sequence ? transaction : []))
    const left = this.leftAfter(sequence)
    const unsaid = new Set<Hash>(left.map(({ hash }) => hash))
    return {
      // What was replaced came before what replaces it.
      waiting: [...left.flatMap(({ transaction }) => transaction ?? []), ...waiting, ...arrived],
      dropped: dropped.filter(({ hash }) => !unsaid.has(hash)),
    }
  }
}
