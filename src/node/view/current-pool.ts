import type { Block } from '../../chain/block/block.ts'
import type { ChainConfig } from '../../chain/forks/chain-config.ts'
import type { DroppedTransaction, DropReason } from '../../chain/transaction/drop-reason.ts'
import type { PoolTransaction } from '../../chain/transaction/transaction.ts'
import type { InFlightQueue } from '../../pool/in-flight-queue.ts'
import type { Admissible, Judgement, Pool, PoolCounts, PoolVerdict } from '../../pool/pool.ts'
import type { PoolView } from '../../pool/types.ts'
import type { Address, Hash } from '../../primitives/hex.ts'
import type { Announcement } from '../machine/announcement.ts'
import type { RemoteTries } from '../tries/remote-tries.ts'
import type { EmitNodeEvent } from './events.ts'
import { type HeadStep, PoolReconciler, type RemovedTransaction, withHash } from './pool-reconciler.ts'
import { TriePrefetch } from './trie-prefetch.ts'
import { senderState, type View } from './view.ts'

export interface CurrentPoolDeps {
  readonly pool: Pool
  /** Called with dropped transactions before event listeners run. */
  readonly onDropped?: ((dropped: readonly RemovedTransaction[]) => void) | undefined
  /** Process or thread with the trie that the next flashblock changes. Default: the trie of the head. */
  readonly tries?: Pick<RemoteTries, 'prefetch'> | undefined
}

/**
 * The pool of a node in any role, judged on the pending block of its head. Emits `pooled` and `dropped`. Transactions
 * that another head includes or makes invalid leave it in the step in which the head is swapped.
 */
export class CurrentPool {
  readonly #pool: Pool
  readonly #reconciler: PoolReconciler
  readonly #prefetch: TriePrefetch
  readonly #onDropped: CurrentPoolDeps['onDropped']
  readonly #shown: () => View
  readonly #emit: EmitNodeEvent
  /** Transactions that recorded ones replaced here, until the leader records their drop or includes them. */
  readonly #replaced = new Map<Hash, RemovedTransaction>()
  /** Transactions that left when blocks were skipped: the pool of the leader may say why. */
  #unknown: readonly RemovedTransaction[] = []
  /** Pool transactions whose records are not durable: `pooled` waits for that. */
  #unannounced: { readonly transaction: PoolTransaction; readonly sequence: number }[] = []

  /** @param deps.shown the newest view; its head judges, and its pool may be older */
  constructor(
    { config }: { readonly config: ChainConfig },
    { pool, onDropped, tries, shown, emit }: CurrentPoolDeps & { shown(): View; readonly emit: EmitNodeEvent },
  ) {
    this.#pool = pool
    this.#reconciler = new PoolReconciler({ config }, { pool })
    this.#prefetch = new TriePrefetch({ tries })
    this.#onDropped = onDropped
    this.#shown = shown
    this.#emit = emit
  }

  /** Pending and queued transactions. */
  get counts(): PoolCounts {
    return this.#pool.counts()
  }

  view(): PoolView {
    return this.#pool.view()
  }

  get(hash: Hash): PoolTransaction | undefined {
    return this.#pool.get(hash)
  }

  /** All pool transactions, in order of arrival. */
  waiting(): readonly PoolTransaction[] {
    const pool = this.#pool.view()
    const pooled = [...pool.senders()].flatMap((sender) => pool.bySender(sender))
    return pooled.sort((a, b) => a.arrival - b.arrival).map(({ transaction }) => transaction)
  }

  /** Transactions whose drop reason is remembered, oldest first. */
  dropped(): readonly DroppedTransaction[] {
    return this.#pool.recentDrops()
  }

  /** Whether the pool would reject a transaction. @param inFlight in-flight transactions of its sender */
  judge(transaction: PoolTransaction, inFlight?: InFlightQueue): Judgement {
    const shown = this.#shown()
    const state = this.#senderState(transaction.from)
    // The open block contains the transaction only if its nonce is used.
    const isUsed = transaction.nonce < state.nonce
    if (isUsed && shown.isInOpenBlock(transaction.hash)) {
      return { kind: 'refused', refusal: { code: 'ALREADY_KNOWN' } }
    }
    return this.#pool.judge(transaction, state, this.#reconciler.rules(shown.head), inFlight)
  }

  /** The nonce of the sender's next transaction. @param inFlight in-flight transactions of the sender */
  nextNonce(sender: Address, inFlight?: InFlightQueue): bigint {
    return this.#pool.nextNonce(sender, this.#senderState(sender), inFlight)
  }

  /**
   * Adds a transaction and emits `pooled`.
   *
   * @param judged an earlier judgement, if there is one
   * @param sequence of its record if that is not durable yet: the event waits for it
   */
  add(transaction: PoolTransaction, judged?: Admissible, sequence?: number): PoolVerdict {
    const verdict = this.#insert(transaction, judged)
    if (verdict.kind === 'refused') return verdict
    this.announceDropped(withHash(verdict.dropped))
    if (sequence === undefined) this.#emit('pooled', transaction)
    else this.#unannounced.push({ transaction, sequence })
    return verdict
  }

  /**
   * Adds a transaction that the leader recorded, and emits `pooled`. A drop of the one that it replaces is announced
   * when the leader records it: the leader may be executing that one, and refuse the replacement.
   */
  addRecorded(transaction: PoolTransaction): PoolVerdict {
    const verdict = this.#insert(transaction)
    if (verdict.kind === 'refused') return verdict
    const left = withHash(verdict.dropped)
    for (const one of left) if (one.reason.code === 'REPLACED') this.#replaced.set(one.hash, one)
    this.#replaced.delete(transaction.hash)
    this.announceDropped(left.filter(({ reason }) => reason.code !== 'REPLACED'))
    this.#emit('pooled', transaction)
    return verdict
  }

  /** Whether a recorded transaction was replaced here, and its leader has not recorded the drop. */
  isReplaced(hash: Hash): boolean {
    return this.#replaced.has(hash)
  }

  /** Announces replaced transactions whose drop the former leader did not record: nothing of it will follow. */
  announceReplaced(): void {
    const left = [...this.#replaced.values()]
    this.#replaced.clear()
    this.announceDropped(left)
  }

  #insert(transaction: PoolTransaction, judged?: Admissible): PoolVerdict {
    const { head } = this.#shown()
    const rules = this.#reconciler.rules(head)
    // Equal rules objects imply the same open block, and so the same state.
    const state = judged?.rules === rules ? judged.state : this.#senderState(transaction.from)
    const verdict = this.#pool.add(transaction, state, rules, judged)
    if (verdict.kind === 'added') this.#prefetch.before(transaction, head)
    return verdict
  }

  /** Emits `pooled` for transactions whose records have become durable, up to this one. */
  announceDurable(durable: number): void {
    if (this.#unannounced.length === 0) return
    const pooled = this.#unannounced
    this.#unannounced = pooled.filter(({ sequence }) => sequence > durable)
    for (const { transaction, sequence } of pooled) if (sequence <= durable) this.#emit('pooled', transaction)
  }

  /**
   * Restores recorded transactions in order, except those that are included or that the pool rejects. The pool has no
   * others afterwards: announces those whose drop records were missed.
   *
   * @returns rejected transactions that could still be included, which followers have in their pools
   */
  restore(
    transactions: readonly PoolTransaction[],
    dropped: readonly DroppedTransaction[],
  ): readonly RemovedTransaction[] {
    const left: RemovedTransaction[] = []
    const shown = this.#shown()
    const missed = this.#missedDrops(transactions, dropped)
    const rules = this.#reconciler.rules(shown.head)
    for (const transaction of transactions) {
      const { hash } = transaction
      // Not the block that includes it: that may be damaged.
      if (shown.ownBlockHashOf(hash) !== undefined || shown.pool.get(hash) !== undefined) continue
      const verdict = this.#pool.add(transaction, this.#senderState(transaction.from), rules)
      if (verdict.kind === 'added') left.push(...withHash(verdict.dropped))
      else if (verdict.refusal.code !== 'NONCE_TOO_LOW') {
        left.push({ hash, reason: { code: 'INVALID', reason: verdict.refusal.code } })
      }
    }
    this.#pool.remember(dropped)
    this.announceDropped(missed)
    return left
  }

  /** Removes what the recorded pool lacks. @returns what was dropped meanwhile, here or by the leader */
  #missedDrops(
    transactions: readonly PoolTransaction[],
    dropped: readonly DroppedTransaction[],
  ): readonly RemovedTransaction[] {
    const shown = this.#shown()
    const pooled = new Set(transactions.map(({ hash }) => hash))
    const reasons = new Map(dropped.map(({ hash, reason }) => [hash, reason]))
    const isGone = ({ hash }: { readonly hash: Hash }) => !pooled.has(hash) && shown.ownBlockHashOf(hash) === undefined
    const replaced = [...this.#replaced.values()].filter(isGone)
    this.#replaced.clear()
    const removed = this.waiting()
      .filter(isGone)
      .flatMap(({ hash }) => this.#pool.remove(hash, reasons.get(hash) ?? { code: 'REMOVED' }) ?? [])
    // Without a reason, a skipped block may have included it.
    const unknown = this.#unknown.filter((one) => isGone(one) && reasons.has(one.hash))
    this.#unknown = []
    return [...replaced, ...withHash(removed), ...unknown].map((one) => ({
      ...one,
      reason: reasons.get(one.hash) ?? one.reason,
    }))
  }

  /** Removes a transaction that no block can include. */
  drop(hash: Hash, reason: DropReason): void {
    const dropped = this.#pool.remove(hash, reason)
    if (dropped !== undefined) this.announceDropped(withHash([dropped]))
  }

  /** Applies a drop that the leader recorded; the transaction may have left this pool already. */
  applyDrop(hash: Hash, reason: DropReason): void {
    if (this.#pool.has(hash)) this.drop(hash, reason)
    else if (this.#replaced.delete(hash)) this.announceDropped([{ hash, reason }])
    else this.#pool.remember([{ hash, reason }])
  }

  /** Remembers, records and emits transactions that left the pool without being included. */
  announceDropped(left: readonly RemovedTransaction[]): void {
    this.recordDropped(left)
    this.emitDropped(left)
  }

  /** Remembers that the transactions of an unwound block are no longer included. */
  rememberUnwound({ header, hash: blockHash, transactions }: Block): void {
    const reason = { code: 'REORGANISED', blockNumber: header.number, blockHash } as const
    this.#pool.remember(transactions.map(({ hash }) => ({ hash, reason })))
  }

  /**
   * Removes what a new head includes or makes invalid, before the head is shown.
   *
   * @returns transactions that left without being included, for `emitDropped` once the head is shown
   */
  reconcile(announcement: Announcement, step: HeadStep): readonly RemovedTransaction[] {
    for (const hash of this.#replaced.keys()) {
      if (announcement.flashblocks.some(({ layer }) => layer.positions.has(hash))) this.#replaced.delete(hash)
    }
    const { left, unknown } = this.#reconciler.reconcile(announcement, step)
    if (step === 'skips') this.#unknown = unknown
    this.recordDropped(left)
    return left
  }

  /** Remembers dropped transactions, and records them if this node leads. */
  recordDropped(left: readonly RemovedTransaction[]): void {
    if (left.length === 0) return
    this.#pool.remember(left)
    this.#onDropped?.(left)
  }

  emitDropped(left: readonly RemovedTransaction[]): void {
    for (const { hash, reason } of left) this.#emit('dropped', { hash, reason })
  }

  #senderState(sender: Address) {
    return senderState(this.#shown().head.pending.state, sender)
  }
}
