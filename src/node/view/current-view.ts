import type { Block } from '../../chain/block/block.ts'
import type { ChainConfig } from '../../chain/forks/chain-config.ts'
import type { DroppedTransaction, DropReason } from '../../chain/transaction/drop-reason.ts'
import type { PoolTransaction } from '../../chain/transaction/transaction.ts'
import type { InFlightQueue } from '../../pool/in-flight-queue.ts'
import type { Admissible, Judgement, Pool, PoolCounts, PoolVerdict } from '../../pool/pool.ts'
import type { Address, Hash } from '../../primitives/hex.ts'
import type { Snapshot } from '../../state/snapshot.ts'
import type { Announcement, SealedBlock } from '../machine/announcement.ts'
import type { Head } from '../machine/head.ts'
import { withFinality } from '../machine/head-transitions.ts'
import type { UnwoundBlock } from '../machine/unwinding.ts'
import type { RemoteTries } from '../tries/remote-tries.ts'
import { createNodeEvents, type NodeEventEmitter, type NodeEvents } from './events.ts'
import { PoolReconciler, type RemovedTransaction, withHash } from './pool-reconciler.ts'
import { TriePrefetch } from './trie-prefetch.ts'
import { senderState, View } from './view.ts'

export interface CurrentViewDeps {
  readonly pool: Pool
  readonly log: {
    error(details: object, message: string): void
    fatal(details: object, message: string): void
  }
  /** Called with dropped transactions before event listeners run. */
  readonly onDropped?: (dropped: readonly RemovedTransaction[]) => void
  /** Process or thread with the trie that the next flashblock changes. Default: the trie of the head. */
  readonly tries?: Pick<RemoteTries, 'prefetch'> | undefined
}

/**
 * The head and the pool of a node in any role, with event listeners. Each update and each capture of both is one
 * synchronous step.
 */
export class CurrentView {
  readonly events: NodeEventEmitter = createNodeEvents()
  readonly #reconciler: PoolReconciler
  readonly #prefetch: TriePrefetch
  readonly #deps: CurrentViewDeps
  #hasFailed = false
  /** Highest block that was shown as finalized. */
  #finalized = 0
  /** Blocks were unwound, and no head without them was published yet. */
  #isUnwound = false
  #view: View | undefined
  #base: Snapshot | undefined
  /** Pool transactions whose records are not durable: `pooled` waits for that. */
  #unannounced: { readonly transaction: PoolTransaction; readonly sequence: number }[] = []

  constructor({ config }: { readonly config: ChainConfig }, deps: CurrentViewDeps) {
    this.#reconciler = new PoolReconciler({ config }, deps)
    this.#prefetch = new TriePrefetch(deps)
    this.#deps = deps
  }

  /** Whether the node failed and must stop. */
  get hasFailed(): boolean {
    return this.#hasFailed
  }

  /** Pending and queued transactions. */
  get poolCounts(): PoolCounts {
    return this.#deps.pool.counts()
  }

  get head(): Head {
    return this.#view!.head
  }

  /** Whether there is a head yet. */
  get isShown(): boolean {
    return this.#view !== undefined
  }

  view(): View {
    const pool = this.#deps.pool.view()
    const current = this.#view!
    if (current.pool !== pool) this.#view = new View(current.head, pool)
    return this.#view!
  }

  /** Whether the pool would reject a transaction. @param inFlight in-flight transactions of its sender */
  judge(transaction: PoolTransaction, inFlight?: InFlightQueue): Judgement {
    const state = this.#senderState(transaction.from)
    // The open block contains the transaction only if its nonce is used.
    const isUsed = transaction.nonce < state.nonce
    if (isUsed && this.#view!.isInOpenBlock(transaction.hash)) {
      return { kind: 'refused', refusal: { code: 'ALREADY_KNOWN' } }
    }
    return this.#deps.pool.judge(transaction, state, this.#reconciler.rules(this.head), inFlight)
  }

  /** The nonce of the sender's next transaction. @param inFlight in-flight transactions of the sender */
  nextNonce(sender: Address, inFlight?: InFlightQueue): bigint {
    return this.#deps.pool.nextNonce(sender, this.#senderState(sender), inFlight)
  }

  /**
   * Adds a transaction to the pool and emits `pooled`.
   *
   * @param judged an earlier judgement, if there is one
   * @param sequence of its record if that is not durable yet: the event waits for it
   */
  addTransaction(transaction: PoolTransaction, judged?: Admissible, sequence?: number): PoolVerdict {
    const rules = this.#reconciler.rules(this.head)
    // Equal rules objects imply the same open block, and so the same state.
    const state = judged?.rules === rules ? judged.state : this.#senderState(transaction.from)
    const verdict = this.#deps.pool.add(transaction, state, rules, judged)
    if (verdict.kind === 'refused') return verdict
    this.#prefetch.before(transaction, this.head)
    this.announceDropped(withHash(verdict.dropped))
    if (sequence === undefined) this.#emit('pooled', transaction)
    else this.#unannounced.push({ transaction, sequence })
    return verdict
  }

  /** Emits `pooled` for transactions whose records have become durable, up to this one. */
  announcePooled(durable: number): void {
    if (this.#unannounced.length === 0) return
    const pooled = this.#unannounced
    this.#unannounced = pooled.filter(({ sequence }) => sequence > durable)
    for (const { transaction, sequence } of pooled) if (sequence <= durable) this.#emit('pooled', transaction)
  }

  /**
   * Restores recorded transactions in order, except those that are included or that the pool rejects.
   *
   * @returns rejected transactions that could still be included, which followers have in their pools
   */
  restorePool(
    transactions: readonly PoolTransaction[],
    dropped: readonly DroppedTransaction[],
  ): readonly RemovedTransaction[] {
    const left: RemovedTransaction[] = []
    const view = this.#view!
    for (const transaction of transactions) {
      const { hash } = transaction
      // Not the block that includes it: that may be damaged.
      if (view.ownBlockHashOf(hash) !== undefined || view.pool.get(hash) !== undefined) continue
      const verdict = this.#deps.pool.add(
        transaction,
        this.#senderState(transaction.from),
        this.#reconciler.rules(this.head),
      )
      if (verdict.kind === 'added') left.push(...withHash(verdict.dropped))
      else if (verdict.refusal.code !== 'NONCE_TOO_LOW') {
        left.push({ hash, reason: { code: 'INVALID', reason: verdict.refusal.code } })
      }
    }
    this.#deps.pool.remember(dropped)
    return left
  }

  /** A transaction in the pool. */
  pooled(hash: Hash): PoolTransaction | undefined {
    return this.#deps.pool.get(hash)
  }

  /** All pool transactions, in order of arrival. */
  waiting(): readonly PoolTransaction[] {
    const pool = this.#deps.pool.view()
    const pooled = [...pool.senders()].flatMap((sender) => pool.bySender(sender))
    return pooled.sort((a, b) => a.arrival - b.arrival).map(({ transaction }) => transaction)
  }

  /** Transactions whose drop reason is remembered, oldest first. */
  dropped(): readonly DroppedTransaction[] {
    return this.#deps.pool.recentDrops()
  }

  /** Swaps the head and removes included transactions from the pool in one synchronous step, then emits events. */
  publish({ head: announced, flashblocks, sealed = [] }: Announcement): void {
    const { pool } = this.#deps
    const head = this.#withFinality(announced)
    const wentBack = this.#isUnwound
    this.#isUnwound = false
    this.#hold(head)
    const left = this.#reconciler.reconcile({ head, flashblocks, sealed }, { wentBack })
    this.#rememberDropped(left)
    const view = new View(head, pool.view())
    this.#view = view
    this.announcePooled(head.sequence)
    this.#emitBlocks(view, flashblocks, sealed)
    this.#emitDropped(left)
  }

  #emitBlocks(view: View, flashblocks: Announcement['flashblocks'], sealed: readonly SealedBlock[]): void {
    const unseen = new Map(sealed.map(({ block, receipts }) => [block, receipts] as const))
    const emitSealed = (block: Block) => {
      const receipts = unseen.get(block)
      if (receipts === undefined) return
      this.#emit('sealed', { view, block, receipts })
      unseen.delete(block)
    }
    // A follower may have shown the last flashblock before the seal arrived.
    const announced = new Set(flashblocks.map(({ block }) => block))
    for (const { block } of sealed) if (!announced.has(block)) emitSealed(block)
    for (const { layer, block } of flashblocks) {
      this.#emit('flashblock', { view, layer, block })
      emitSealed(block)
    }
  }

  /** Marks blocks up to `number` as finalized: they were before this process started or restored its chain. */
  keepFinalized(number: number): void {
    this.#finalized = Math.max(this.#finalized, number)
  }

  /**
   * Emits `unwound`; a flashblock of the replacing block follows.
   *
   * @param isComplete false: some unwound blocks are unknown
   */
  emitUnwound(
    blocks: readonly UnwoundBlock[],
    { isComplete }: { readonly isComplete: boolean } = { isComplete: true },
  ): void {
    this.#isUnwound = true
    // A replica whose source has another chain, and a development node, may unwind below the finalized block.
    for (const { block, wasSealed } of blocks) {
      if (wasSealed) this.#finalized = Math.min(this.#finalized, block.header.number - 1)
    }
    this.#deps.pool.remember(
      blocks.flatMap(({ block }) => {
        const reason = { code: 'REORGANISED', blockNumber: block.header.number, blockHash: block.hash } as const
        return block.transactions.map(({ hash }) => ({ hash, reason }))
      }),
    )
    this.#emit('unwound', { blocks, isComplete })
  }

  /** Removes a transaction that no block can include. */
  dropTransaction(hash: Hash, reason: DropReason): void {
    const dropped = this.#deps.pool.remove(hash, reason)
    if (dropped !== undefined) this.announceDropped(withHash([dropped]))
  }

  /** Applies a drop that the leader recorded; the transaction may have left this pool already. */
  applyDrop(hash: Hash, reason: DropReason): void {
    if (this.#deps.pool.has(hash)) this.dropTransaction(hash, reason)
    else this.#deps.pool.remember([{ hash, reason }])
  }

  /** Remembers and emits transactions that left the pool without being included. */
  announceDropped(left: readonly RemovedTransaction[]): void {
    this.#rememberDropped(left)
    this.#emitDropped(left)
  }

  /** Marks the node as failed and emits `failed`. */
  fail(error: unknown): void {
    this.#hasFailed = true
    this.#deps.log.fatal({ err: error }, 'the node has failed')
    this.#emit('failed', error)
  }

  /** Releases the snapshot of the head. */
  releaseHead(): void {
    this.#base?.release()
    this.#base = undefined
  }

  /** Keeps shown blocks finalized when the base or the finality depth changes. */
  #withFinality(head: Head): Head {
    const { latest, finalized } = head.sealed
    this.#finalized = Math.min(latest, Math.max(this.#finalized, finalized))
    return finalized === this.#finalized
      ? head
      : withFinality(head, { safe: head.sealed.safe, finalized: this.#finalized })
  }

  /** The head owns its base: a replaced base is released. */
  #hold(head: Head): void {
    if (head.base === this.#base) return
    this.#base?.release()
    this.#base = head.base
  }

  #senderState(sender: Address) {
    return senderState(this.#view!.head.pending.state, sender)
  }

  #rememberDropped(left: readonly RemovedTransaction[]): void {
    if (left.length === 0) return
    this.#deps.pool.remember(left)
    this.#deps.onDropped?.(left)
  }

  #emitDropped(left: readonly DroppedTransaction[]): void {
    for (const { hash, reason } of left) this.#emit('dropped', { hash, reason })
  }

  /** An error of a listener must not reach the sequencer, in whose step it runs, or the next listener. */
  #emit<Name extends keyof NodeEvents>(name: Name, ...event: NodeEvents[Name]): void {
    for (const listener of this.events.rawListeners(name)) {
      try {
        Reflect.apply(listener, this.events, event)
      } catch (error) {
        this.#deps.log.error({ err: error, event: name }, 'a listener failed')
      }
    }
  }
}
