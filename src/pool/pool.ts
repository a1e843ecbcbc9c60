import { dataCost } from '../chain/fees/data-cost.ts'
import { sentSize } from '../chain/transaction/blob-sidecar.ts'
import type { DroppedTransaction, DropReason } from '../chain/transaction/drop-reason.ts'
import type { PoolRefusal } from '../chain/transaction/refusal.ts'
import type { PoolTransaction } from '../chain/transaction/transaction.ts'
import { lastValidBlock } from '../chain/transaction/validity.ts'
import type { Address, Hash } from '../primitives/hex.ts'
import { type AdmissionRules, judgeExecutable, judgeSender, judgeTransaction } from './admission.ts'
import { AuthorityOrder } from './authority-order.ts'
import { AuthorizedNonceIndex } from './authorized-nonces.ts'
import { Candidates } from './candidates.ts'
import { DroppedTransactions } from './dropped-transactions.ts'
import { evictionOrder, worth } from './eviction.ts'
import type { InFlightQueue } from './in-flight-queue.ts'
import type { PoolOptions } from './options.ts'
import {
  consecutive,
  entryAt,
  nonceAfterAll,
  poolEntry,
  reconcileQueue,
  type SenderQueue,
  senderQueue,
  withEntry,
} from './sender-queue.ts'
import { type MapSnapshot, SnapshotMap } from './snapshot-map.ts'
import type { PoolEntry, PoolView, SenderState } from './types.ts'

export interface Dropped {
  readonly transaction: PoolTransaction
  readonly reason: DropReason
}

export type PoolVerdict =
  /** `dropped`: the replaced transaction, or those evicted to make room. */
  | { readonly kind: 'added'; readonly dropped: readonly Dropped[] }
  | { readonly kind: 'refused'; readonly refusal: PoolRefusal }

/** A transaction may enter the pool; with the inputs of this judgement. */
export interface Admissible {
  readonly kind: 'admissible'
  readonly state: SenderState
  readonly rules: AdmissionRules
  readonly options: PoolOptions
  /** The sender's queue, including in-flight transactions. */
  readonly queue: SenderQueue | undefined
  /** See `PoolEntry`. */
  readonly dataCost: bigint | undefined
  /** The pool has no transaction with this nonce. */
  readonly isNew: boolean
}

export type Judgement = Admissible | { readonly kind: 'refused'; readonly refusal: PoolRefusal }

export interface PoolCounts {
  /** Executable in nonce order, without a gap. */
  readonly pending: number
  /** Behind a nonce gap. */
  readonly queued: number
}

export interface PoolDeps {
  /** Milliseconds on the monotonic clock. */
  readonly now: () => number
}

/** Admission, ordering, replacement and eviction of transactions. Synchronous. */
export class Pool {
  #options: PoolOptions
  readonly #deps: PoolDeps
  readonly #senders = new SnapshotMap<Address, SenderQueue>()
  readonly #byHash = new SnapshotMap<Hash, PoolEntry>()
  /** Of all pooled transactions. */
  readonly #authorized = new AuthorizedNonceIndex()
  readonly #authorityOrder: AuthorityOrder
  #arrivals = 0
  #bytes = 0
  /** Executed in a flashblock that is not announced yet: neither replaced nor evicted. */
  readonly #executed = new Set<Hash>()
  /** Eviction order, the first victim last; recomputed when it is used up or the base fee changed. */
  #eviction: { readonly baseFee: bigint; readonly order: PoolEntry[] } | undefined
  readonly #dropped: DroppedTransactions
  #view: PoolView | undefined

  constructor(options: PoolOptions, deps: PoolDeps) {
    this.#options = options
    this.#deps = deps
    this.#authorityOrder = new AuthorityOrder({
      authorized: this.#authorized,
      queueOf: (sender) => this.#senders.get(sender),
      executed: () => [...this.#executed].flatMap((hash) => this.#byHash.get(hash) ?? []),
    })
    this.#dropped = new DroppedTransactions({ capacity: options.maxDropReasons })
  }

  /** Changes the limits; present transactions stay. Must not be called while a flashblock is being built. */
  use(options: PoolOptions): void {
    this.#options = options
    this.#dropped.resize(options.maxDropReasons)
    this.#executed.clear()
  }

  get size(): number {
    return this.#byHash.size
  }

  /** Takes time proportional to the number of senders. */
  counts(): PoolCounts {
    let pending = 0
    for (const { state, entries } of this.#senders.values()) pending += consecutive(entries, state.nonce)
    return { pending, queued: this.size - pending }
  }

  has(hash: Hash): boolean {
    return this.#byHash.get(hash) !== undefined
  }

  get(hash: Hash): PoolTransaction | undefined {
    return this.#byHash.get(hash)?.transaction
  }

  hasSender(address: Address): boolean {
    return this.#senders.get(address) !== undefined
  }

  /**
   * Whether `add` would accept a transaction, apart from a full pool. Read-only.
   *
   * @param inFlight in-flight transactions of its sender
   */
  judge(transaction: PoolTransaction, state: SenderState, rules: AdmissionRules, inFlight?: InFlightQueue): Judgement {
    if (this.has(transaction.hash)) return refused({ code: 'ALREADY_KNOWN' })
    const { from, nonce } = transaction
    const options = this.#options
    const queue = this.#senders.get(from)
    const waiting = entryAt(queue?.entries ?? [], nonce)
    if (waiting !== undefined && this.#executed.has(waiting.transaction.hash)) {
      return refused({ code: 'NONCE_TOO_LOW', address: from, expected: nonce + 1n, actual: nonce })
    }
    const expected = inFlight === undefined ? queue : inFlight.expected(queue, state)
    const early = judgeTransaction(transaction, rules, options)
    if (early !== undefined) return refused(early)
    const cost = rules.dataFees && dataCost(transaction, rules.dataFees)
    const isAuthority = this.#authorized.hasAuthority(from)
    const sender = { state, queue: expected, isAuthority }
    const refusal = judgeSender(transaction, sender, options, cost) ?? judgeExecutable(transaction, sender, rules)
    if (refusal !== undefined) return refused(refusal)
    const reserved = options.judgesSenders
      ? this.#authorityOrder.reservedNonce(transaction, expected, rules.baseFee)
      : undefined
    if (reserved !== undefined) return refused({ code: 'AUTHORITY_RESERVED', ...reserved })
    return { kind: 'admissible', state, rules, options, queue: expected, dataCost: cost, isNew: waiting === undefined }
  }

  /** The nonce after the sender's pending transactions. @param inFlight in-flight transactions of the sender */
  nextNonce(sender: Address, state: SenderState, inFlight?: InFlightQueue): bigint {
    const queue = this.#senders.get(sender)
    const { entries = [] } = (inFlight === undefined ? queue : inFlight.expected(queue, state)) ?? {}
    return nonceAfterAll(entries, state.nonce)
  }

  /**
   * Adds a transaction.
   *
   * @param state the sender's account in the pending state
   * @param judged an earlier judgement; repeated if its inputs have changed
   */
  add(transaction: PoolTransaction, state: SenderState, rules: AdmissionRules, judged?: Admissible): PoolVerdict {
    const { from, nonce, hash } = transaction
    const holds = judged !== undefined && this.#stillHolds(judged, transaction, state, rules)
    const judgement = holds ? judged : this.judge(transaction, state, rules)
    if (judgement.kind === 'refused') return judgement
    const replaced = entryAt(this.#senders.get(from)?.entries ?? [], nonce)
    const entry = poolEntry(transaction, {
      arrival: this.#arrivals++,
      arrivedAt: this.#deps.now(),
      dataCost: judgement.dataCost,
      lastBlock: transaction.validity && lastValidBlock(transaction.validity),
    })
    const evicted = this.#makeRoom(entry, state, rules.baseFee, replaced)
    if (evicted === undefined) return { kind: 'refused', refusal: { code: 'UNDERPRICED' } }
    const dropped: Dropped[] = [...evicted]
    if (replaced !== undefined) {
      this.#forget(replaced)
      dropped.push({ transaction: replaced.transaction, reason: { code: 'REPLACED', by: hash } })
    }
    this.#put(from, withEntry(this.#senders.get(from), entry, state))
    this.#byHash.set(hash, entry)
    this.#authorized.add(entry.authorized)
    this.#bytes += sentSize(transaction)
    return { kind: 'added', dropped }
  }

  /** Marks a transaction as included in the flashblock that is being built: it can neither be replaced nor evicted. */
  markExecuted(hash: Hash): void {
    if (this.has(hash)) this.#executed.add(hash)
  }

  /** Revalidates the transactions of changed accounts. Returns the dropped ones. */
  reconcile(changes: Iterable<readonly [Address, SenderState]>): readonly Dropped[] {
    const dropped: Dropped[] = []
    for (const [address, state] of changes) {
      const queue = this.#senders.get(address)
      if (queue === undefined) continue
      const result = reconcileQueue(queue, state)
      this.#put(address, result.queue)
      for (const { entry, reason } of result.dropped) {
        this.#forget(entry)
        dropped.push({ transaction: entry.transaction, reason })
      }
    }
    return dropped
  }

  /** Removes a transaction that can never be included, but no other of its sender. */
  remove(hash: Hash, reason: DropReason): Dropped | undefined {
    const entry = this.#byHash.get(hash)
    if (entry === undefined) return undefined
    const { transaction } = entry
    const queue = this.#senders.get(transaction.from)!
    const rest = queue.entries.filter((other) => other !== entry)
    this.#put(transaction.from, senderQueue(queue.state, rest))
    this.#forget(entry)
    return { transaction, reason }
  }

  /**
   * Drops transactions that exceed their lifetime, or whose validity predicates no later block can meet.
   *
   * @param next number of the next block to be built
   */
  expire(next: number): readonly Dropped[] {
    const oldest = this.#deps.now() - this.#options.transactionLifetimeMs
    const expired = [...this.#byHash.values()].filter(
      ({ arrivedAt, lastBlock }) => arrivedAt < oldest || (lastBlock !== undefined && lastBlock < next),
    )
    return expired.flatMap((entry) => this.remove(entry.transaction.hash, { code: 'EXPIRED' }) ?? [])
  }

  /** Remembers drop reasons, also of transactions from unwound blocks. */
  remember(dropped: Iterable<{ readonly hash: Hash; readonly reason: DropReason }>): void {
    for (const { hash, reason } of dropped) {
      this.#view = undefined
      this.#dropped.add(hash, reason)
    }
  }

  /** Remembered drop reasons, oldest first. */
  recentDrops(): readonly DroppedTransaction[] {
    return this.#dropped.entries()
  }

  /**
   * Executable transactions at this base fee (wei per gas), best first. Transactions that arrive later are not among
   * them.
   */
  candidates(baseFee: bigint): Candidates {
    const { order, judgesSenders } = this.#options
    const mustWait = judgesSenders ? (entry: PoolEntry) => this.#authorityOrder.mustWait(entry) : undefined
    return new Candidates(this.#senders.values(), baseFee, { order, mustWait })
  }

  /** A view of the pool; the same object until the pool changes. */
  view(): PoolView {
    this.#view ??= viewOf(this.#senders.snapshot(), this.#byHash.snapshot(), this.#dropped.snapshot())
    return this.#view
  }

  /**
   * Whether a judgement is still valid. A replacement is always judged again: the replaced entry may be in a
   * flashblock. The same applies where authorizations take part, as those of other senders may have arrived since.
   */
  #stillHolds(judged: Admissible, transaction: PoolTransaction, state: SenderState, rules: AdmissionRules): boolean {
    const { from, type } = transaction
    const isSameChain = judged.state === state && judged.rules === rules
    const isSamePool = judged.options === this.#options && judged.queue === this.#senders.get(from)
    return isSameChain && isSamePool && judged.isNew && type !== 4 && !this.#authorized.hasAuthority(from)
  }

  #put(address: Address, queue: SenderQueue): void {
    this.#view = undefined
    if (queue.entries.length === 0) this.#senders.delete(address)
    else this.#senders.set(address, queue)
  }

  #forget({ transaction, authorized }: PoolEntry): void {
    this.#view = undefined
    this.#authorized.delete(authorized)
    this.#byHash.delete(transaction.hash)
    this.#executed.delete(transaction.hash)
    this.#bytes -= sentSize(transaction)
  }

  /**
   * Evicts transactions worth less than `entry` until it fits; `undefined`: it does not fit, and nothing was evicted.
   */
  #makeRoom(
    entry: PoolEntry,
    state: SenderState,
    baseFee: bigint,
    replaced: PoolEntry | undefined,
  ): readonly Dropped[] | undefined {
    const { maxPoolTransactions, maxPoolBytes } = this.#options
    const count = replaced === undefined ? 1 : 0
    let tooMany = this.size + count - maxPoolTransactions
    const freed = replaced === undefined ? 0 : sentSize(replaced.transaction)
    let tooLarge = this.#bytes + sentSize(entry.transaction) - freed - maxPoolBytes
    if (tooMany <= 0 && tooLarge <= 0) return []
    const { from, nonce } = entry.transaction
    const entries = this.#senders.get(from)?.entries ?? []
    const own = worth(entry, nonce > nonceAfterAll(entries, state.nonce), baseFee)
    const victims: PoolEntry[] = []
    while (tooMany > 0 || tooLarge > 0) {
      const victim = this.#leastWorth(baseFee, from, victims)
      if (victim === undefined || this.#worthOf(victim, baseFee) >= own) return undefined
      victims.push(victim)
      tooMany -= 1
      tooLarge -= sentSize(victim.transaction)
    }
    return victims.flatMap(({ transaction }) => this.remove(transaction.hash, { code: 'EVICTED' }) ?? [])
  }

  /** The cheapest transaction that is the last of its sender; neither `sender`'s own nor one of `taken`. */
  #leastWorth(baseFee: bigint, sender: Address, taken: readonly PoolEntry[]): PoolEntry | undefined {
    for (let pass = 0; pass < 2; pass++) {
      if (this.#eviction === undefined || this.#eviction.baseFee !== baseFee || this.#eviction.order.length === 0) {
        this.#eviction = { baseFee, order: evictionOrder(this.#senders.values(), baseFee) }
      }
      const { order } = this.#eviction
      for (let index = order.length - 1; index >= 0; index--) {
        const entry = order[index]!
        const { from, hash } = entry.transaction
        if (this.#senders.get(from)?.entries.at(-1) !== entry) {
          order.splice(index, 1)
          continue
        }
        if (from !== sender && !this.#executed.has(hash) && !taken.includes(entry)) return entry
      }
      this.#eviction = undefined
    }
    return undefined
  }

  #worthOf(entry: PoolEntry, baseFee: bigint): bigint {
    const { entries, state } = this.#senders.get(entry.transaction.from)!
    return worth(entry, entry.transaction.nonce >= nonceAfterAll(entries, state.nonce), baseFee)
  }
}

function refused(refusal: PoolRefusal): Extract<Judgement, { kind: 'refused' }> {
  return { kind: 'refused', refusal }
}

function viewOf(
  senders: MapSnapshot<Address, SenderQueue>,
  byHash: MapSnapshot<Hash, PoolEntry>,
  dropped: MapSnapshot<Hash, DropReason>,
): PoolView {
  const bySender = (sender: Address) => senders.get(sender)?.entries ?? []
  return {
    size: byHash.size,
    get: (hash) => byHash.get(hash),
    bySender,
    nextNonce: (sender, nonce) => nonceAfterAll(bySender(sender), nonce),
    senders: () => senders.keys(),
    dropReason: (hash) => dropped.get(hash),
  }
}
