import type { PoolTransaction } from '../chain/transaction/transaction.ts'
import { type SenderQueue, withEntry } from './sender-queue.ts'
import type { PoolEntry, SenderState } from './types.ts'

/** A queue with what arrives in it, and by what it was made. */
interface ExpectedQueue {
  readonly pooled: SenderQueue | undefined
  readonly nonce: bigint
  readonly queue: SenderQueue | undefined
}

/**
 * Transactions of one sender that were judged and enter the pool a little later, when they are on disk. What the
 * sender sends meanwhile is judged as if they were there: two that it cannot pay together would both be let in
 * otherwise.
 */
export class InFlightQueue {
  readonly #transactions = new Set<PoolTransaction>()
  /** Kept until the pool has others: a hundred may arrive together. */
  #expected: ExpectedQueue | undefined

  get size(): number {
    return this.#transactions.size
  }

  add(transaction: PoolTransaction, state: SenderState): void {
    this.#transactions.add(transaction)
    if (this.#expected === undefined) return
    const { pooled, nonce, queue } = this.#expected
    this.#expected = { pooled, nonce, queue: withEntry(queue, entryOf(transaction), state) }
  }

  /** It is in the pool, or will never be. */
  delete(transaction: PoolTransaction): void {
    this.#transactions.delete(transaction)
    this.#expected = undefined
  }

  /** The sender's queue when all of them are in it. @param pooled without them */
  expected(pooled: SenderQueue | undefined, state: SenderState): SenderQueue | undefined {
    const { nonce } = state
    const cached = this.#expected
    if (cached !== undefined && cached.pooled === pooled && cached.nonce === nonce) return cached.queue
    let queue = pooled
    for (const transaction of this.#transactions) {
      // The replaced entry may be in a flashblock by now, and a delegation uses nonces too (EIP-7702).
      if (transaction.nonce >= nonce) queue = withEntry(queue, entryOf(transaction), state)
    }
    this.#expected = { pooled, nonce, queue }
    return queue
  }
}

/** It has no place in the order of the pool yet: it comes after all that have. */
function entryOf(transaction: PoolTransaction): PoolEntry {
  return { transaction, arrival: Number.POSITIVE_INFINITY, arrivedAt: Number.POSITIVE_INFINITY }
}
