import type { Hash } from '../../primitives/hex.ts'

/** Older transactions are in blocks already. */
const MAX_HASHES = 1_000

/** Transactions that this process sends by itself, such as those of `--stocks-market`: the newest 1,000. */
export class OwnTransactions {
  readonly #hashes = new Set<Hash>()

  add(hash: Hash): void {
    this.#hashes.add(hash)
    const [oldest] = this.#hashes
    if (this.#hashes.size > MAX_HASHES) this.#hashes.delete(oldest!)
  }

  has(hash: Hash): boolean {
    return this.#hashes.has(hash)
  }
}
