import type { PoolTransaction } from '../chain/transaction/transaction.ts'
import { poolEntry, type SenderQueue, withEntry } from './sender-queue.ts'
import type { PoolEntry, SenderState } from './types.ts'

/** A sender's queue including its in-flight transactions, with the inputs it was computed from. */
interface ExpectedQueue {
  readonly pooled: SenderQueue | undefined
  readonly nonce: bigint
  readonly queue: SenderQueue | undefined
}

/**
 * In-flight transactions of one sender: accepted, but not in the pool until their record is durable. Later transactions
 * are judged as if these were in the pool; otherwise two could be accepted whose total cost exceeds the balance.
 */
export class InFlightQueue {
  /** With the data cost of each, see `PoolEntry`. */
  readonly #transactions = new Map<PoolTransaction, bigint | undefined>()
  /** Cached until the pool changes, since there may be a hundred in flight. */
  #expected: ExpectedQueue | undefined

  get size(): number {
    return this.#transactions.size
  }

  /** @param dataCost see `PoolEntry` */
  add(transaction: PoolTransaction, state: SenderState, dataCost?: bigint): void {
    this.#transactions.set(transaction, dataCost)
    if (this.#expected === undefined) return
    const { pooled, nonce, queue } = this.#expected
    this.#expected = { pooled, nonce, queue: withEntry(queue, entryOf(transaction, dataCost), state) }
  }

  /** Call when the transaction has entered the pool or was rejected. */
  delete(transaction: PoolTransaction): void {
    this.#transactions.delete(transaction)
    this.#expected = undefined
  }

  /** The sender's queue including its in-flight transactions. @param pooled the queue without them */
  expected(pooled: SenderQueue | undefined, state: SenderState): SenderQueue | undefined {
    const { nonce } = state
    const cached = this.#expected
    if (cached !== undefined && cached.pooled === pooled && cached.nonce === nonce) return cached.queue
    let queue = pooled
    for (const [transaction, dataCost] of this.#transactions) {
      // The replaced entry may be in a flashblock by now, and a delegation also uses nonces (EIP-7702).
      if (transaction.nonce >= nonce) queue = withEntry(queue, entryOf(transaction, dataCost), state)
    }
    this.#expected = { pooled, nonce, queue }
    return queue
  }
}

/** Has no position in the order of arrival yet: sorts after all pooled ones. */
function entryOf(transaction: PoolTransaction, dataCost: bigint | undefined): PoolEntry {
  return poolEntry(transaction, { arrival: Number.POSITIVE_INFINITY, arrivedAt: Number.POSITIVE_INFINITY, dataCost })
}
