import { maxPriorityFeePerGas, type PoolTransaction } from '../chain/transaction.ts'
import type { Address, Hash } from '../primitives/hex.ts'
import { type AdmissionRules, judgeSender, judgeTransaction } from './admission.ts'
import { Candidates } from './candidates.ts'
import type { PoolOptions } from './options.ts'
import { consecutive, entryAt, reconcileQueue, type SenderQueue, withEntry } from './sender-queue.ts'
import { type MapSnapshot, SnapshotMap } from './snapshot-map.ts'
import type { DropReason, PoolEntry, PoolRefusal, PoolView, SenderState } from './types.ts'

export interface Dropped {
  readonly transaction: PoolTransaction
  readonly reason: DropReason
}

export type PoolVerdict =
  /** `dropped`: what was replaced, or evicted to make room. */
  | { readonly kind: 'added'; readonly dropped: readonly Dropped[] }
  | { readonly kind: 'refused'; readonly refusal: PoolRefusal }

export interface PoolParts {
  /** Milliseconds on the monotonic clock. */
  readonly now: () => number
}

/** How many leave at once when the pool is full, so that the search for them is paid once for many. */
const EVICTION_SHARE = 160

/** Which transactions wait, in which order they are ready, what replaces what. Synchronous. */
export class Pool {
  readonly #options: PoolOptions
  readonly #parts: PoolParts
  readonly #senders = new SnapshotMap<Address, SenderQueue>()
  readonly #byHash = new SnapshotMap<Hash, PoolEntry>()
  #arrivals = 0
  /** The lowest tip that the full pool holds; unknown (-1) since something left. */
  #floor = -1n
  #view: PoolView | undefined

  constructor(options: PoolOptions, parts: PoolParts) {
    this.#options = options
    this.#parts = parts
  }

  get size(): number {
    return this.#byHash.size
  }

  has(hash: Hash): boolean {
    return this.#byHash.get(hash) !== undefined
  }

  hasSender(address: Address): boolean {
    return this.#senders.get(address) !== undefined
  }

  /** Why `add` would refuse a transaction, but for a full pool; nothing changes. */
  judge(transaction: PoolTransaction, state: SenderState, rules: AdmissionRules): PoolRefusal | undefined {
    if (this.has(transaction.hash)) return { code: 'ALREADY_KNOWN' }
    const queue = this.#senders.get(transaction.from)
    return judgeTransaction(transaction, rules, this.#options) ?? judgeSender(transaction, state, queue, this.#options)
  }

  /** Offers a transaction; `state` is its sender's account in the pending state. */
  add(transaction: PoolTransaction, state: SenderState, rules: AdmissionRules): PoolVerdict {
    const refusal = this.judge(transaction, state, rules)
    if (refusal !== undefined) return { kind: 'refused', refusal }
    const { from, nonce, hash } = transaction
    const entries = this.#senders.get(from)?.entries ?? []
    const replaced = entryAt(entries, nonce)
    const dropped: Dropped[] = []
    if (replaced === undefined && this.size >= this.#options.maxTransactions) {
      const tip = maxPriorityFeePerGas(transaction)
      if (tip <= this.#floor) return { kind: 'refused', refusal: { code: 'UNDERPRICED', minimumTip: this.#floor + 1n } }
      const evicted = this.#evict(from, tip)
      if (evicted.length === 0) {
        return { kind: 'refused', refusal: { code: 'UNDERPRICED', minimumTip: this.#floor + 1n } }
      }
      dropped.push(...evicted)
    }
    if (replaced !== undefined) {
      this.#byHash.delete(replaced.transaction.hash)
      dropped.push({ transaction: replaced.transaction, reason: { code: 'REPLACED', by: hash } })
    }
    const entry: PoolEntry = { transaction, arrival: this.#arrivals++, arrivedAt: this.#parts.now() }
    this.#put(from, { state, entries: withEntry(this.#senders.get(from)?.entries ?? [], entry) })
    this.#byHash.set(hash, entry)
    return { kind: 'added', dropped }
  }

  /** Accounts changed: what their senders have waiting is checked again. Gives what left. */
  reconcile(changes: Iterable<readonly [Address, SenderState]>): readonly Dropped[] {
    const dropped: Dropped[] = []
    for (const [address, state] of changes) {
      const queue = this.#senders.get(address)
      if (queue === undefined) continue
      const result = reconcileQueue(queue, state)
      this.#put(address, result.queue)
      for (const { entry, reason } of result.dropped) {
        this.#byHash.delete(entry.transaction.hash)
        dropped.push({ transaction: entry.transaction, reason })
      }
    }
    return dropped
  }

  /** Takes out one that can never be included, and nothing else of its sender. */
  remove(hash: Hash, reason: DropReason): Dropped | undefined {
    const entry = this.#byHash.get(hash)
    if (entry === undefined) return undefined
    const { transaction } = entry
    const queue = this.#senders.get(transaction.from)!
    this.#put(transaction.from, { ...queue, entries: queue.entries.filter((kept) => kept !== entry) })
    this.#byHash.delete(hash)
    return { transaction, reason }
  }

  /** Drops what has waited behind a nonce gap for too long. */
  expire(): readonly Dropped[] {
    const oldest = this.#parts.now() - this.#options.gappedLifetimeMs
    const late = [...this.#byHash.values()].filter((entry) => entry.arrivedAt < oldest && this.#isGapped(entry))
    return late.flatMap((entry) => this.remove(entry.transaction.hash, { code: 'EXPIRED' }) ?? [])
  }

  /** Ready transactions at this base fee (wei per gas), best first. Later changes to the pool do not show in it. */
  candidates(baseFee: bigint): Candidates {
    return new Candidates(this.#senders.values(), baseFee)
  }

  /** The pool now; the same object until it changes. */
  view(): PoolView {
    this.#view ??= viewOf(this.#senders.snapshot(), this.#byHash.snapshot())
    return this.#view
  }

  #put(address: Address, queue: SenderQueue): void {
    this.#view = undefined
    this.#floor = -1n
    if (queue.entries.length === 0) this.#senders.delete(address)
    else this.#senders.set(address, queue)
  }

  #isGapped(entry: PoolEntry): boolean {
    const { entries, state } = this.#senders.get(entry.transaction.from)!
    return entry.transaction.nonce >= state.nonce + BigInt(consecutive(entries, state.nonce))
  }

  /** Takes out the worst paid last transactions of senders, all below `tip`; never `sender`'s own. */
  #evict(sender: Address, tip: bigint): readonly Dropped[] {
    const tails = [...this.#senders.values()]
      .map(({ entries }) => entries.at(-1)!)
      .sort((a, b) => compare(maxPriorityFeePerGas(a.transaction), maxPriorityFeePerGas(b.transaction)))
    const share = Math.ceil(this.#options.maxTransactions / EVICTION_SHARE)
    const evicted = tails
      .filter(({ transaction }) => transaction.from !== sender && maxPriorityFeePerGas(transaction) < tip)
      .slice(0, share)
      .flatMap(({ transaction }) => this.remove(transaction.hash, { code: 'EVICTED' }) ?? [])
    const lowest = tails[evicted.length]
    this.#floor = lowest === undefined ? -1n : maxPriorityFeePerGas(lowest.transaction)
    return evicted
  }
}

function compare(a: bigint, b: bigint): number {
  return a < b ? -1 : a > b ? 1 : 0
}

function viewOf(senders: MapSnapshot<Address, SenderQueue>, byHash: MapSnapshot<Hash, PoolEntry>): PoolView {
  const bySender = (sender: Address) => senders.get(sender)?.entries ?? []
  return {
    size: byHash.size,
    get: (hash) => byHash.get(hash),
    bySender,
    nextNonce: (sender, nonce) => nonce + BigInt(consecutive(bySender(sender), nonce)),
    senders: () => senders.keys(),
  }
}
