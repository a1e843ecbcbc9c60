import type { DroppedTransaction, DropReason } from '../chain/transaction/drop-reason.ts'
import type { Hash } from '../primitives/hex.ts'
import { type MapSnapshot, SnapshotMap } from './snapshot-map.ts'

/** Drop reasons of the transactions that most recently left the pool without being included. */
export class DroppedTransactions {
  #capacity: number
  readonly #reasons = new SnapshotMap<Hash, DropReason>()
  /** Oldest first. */
  readonly #order = new Set<Hash>()

  /** @param options capacity: number of remembered reasons */
  constructor(options: { readonly capacity: number }) {
    this.#capacity = options.capacity
  }

  add(hash: Hash, reason: DropReason): void {
    this.#order.delete(hash)
    this.#order.add(hash)
    this.#reasons.set(hash, reason)
    this.#evict()
  }

  /** Changes the capacity; the oldest reasons beyond it are forgotten. */
  resize(capacity: number): void {
    this.#capacity = capacity
    this.#evict()
  }

  #evict(): void {
    for (const hash of this.#order) {
      if (this.#order.size <= this.#capacity) return
      this.#order.delete(hash)
      this.#reasons.delete(hash)
    }
  }

  /** Oldest first. */
  entries(): readonly DroppedTransaction[] {
    return Array.from(this.#order, (hash) => ({ hash, reason: this.#reasons.get(hash)! }))
  }

  snapshot(): MapSnapshot<Hash, DropReason> {
    return this.#reasons.snapshot()
  }
}
