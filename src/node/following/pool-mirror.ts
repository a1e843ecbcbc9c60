import type { DroppedTransaction } from '../../chain/transaction/drop-reason.ts'
import type { PoolRefusal } from '../../chain/transaction/refusal.ts'
import type { PoolTransaction } from '../../chain/transaction/transaction.ts'
import { DEFAULT_POOL_OPTIONS, type PoolOptions } from '../../pool/options.ts'
import type { PoolChange } from '../../state/records/record-kinds.ts'
import { PoolReplay } from '../machine/pool-replay.ts'
import type { CurrentView } from '../view/current-view.ts'
import type { RemovedTransaction } from '../view/pool-reconciler.ts'

/**
 * No limits: the leader alone decides what the pool contains, even if a sender can no longer pay.
 * Each is named, so that a new limit does not compile until its value for followers is chosen.
 */
export const MIRRORED_POOL: PoolOptions = {
  maxPoolTransactions: Number.POSITIVE_INFINITY,
  maxPoolBytes: Number.POSITIVE_INFINITY,
  maxTransactionsPerSender: Number.POSITIVE_INFINITY,
  maxQueuedPerSender: Number.POSITIVE_INFINITY,
  delegatedSlots: Number.POSITIVE_INFINITY,
  maxDropReasons: DEFAULT_POOL_OPTIONS.maxDropReasons,
  transactionLifetimeMs: Number.POSITIVE_INFINITY,
  maxTransactionBytes: Number.POSITIVE_INFINITY,
  blobReplacementBumpPercent: 0n,
  replacementBumpPercent: 0n,
  minimumTipWei: 0n,
  feeCapWei: 0n,
  judgesSenders: false,
  acceptsUnprotected: true,
  order: 'fees',
}

/** Duplicates, and transactions that a block has included. */
const EXPECTED_REFUSALS: ReadonlySet<PoolRefusal['code']> = new Set(['ALREADY_KNOWN', 'NONCE_TOO_LOW'])

/** Transactions collected before there is a state to judge them by. */
interface Collected {
  readonly replay: PoolReplay
  /** The first record whose state can judge them. */
  readonly until: number
}

/** Keeps the pool as recorded: the leader decides which transactions enter and leave it. */
export class PoolMirror {
  readonly #current: CurrentView
  #collected: Collected | undefined
  /** Changes since an unwind, which the shown head cannot judge. */
  #deferred: PoolReplay | undefined
  /** The first recorded transaction that the pool here refused. */
  #refused: string | undefined
  /** The newest record that the pool reflects; 0: none of this chain. */
  #sequence = 0

  constructor(current: CurrentView) {
    this.#current = current
  }

  /**
   * Starts from these transactions. They enter the pool once the records up to `until` are applied, and no earlier than
   * the record that the pool reflects: replaying older records would undo later changes.
   */
  begin(pooled: readonly PoolTransaction[], dropped: readonly DroppedTransaction[], until: number): void {
    this.#collected = { replay: new PoolReplay(pooled, dropped), until: Math.max(until, this.#sequence) }
    this.#refused = undefined
  }

  take(record: PoolChange): void {
    switch (record.kind) {
      case 'pool':
        this.add(record.transactions)
        break
      case 'drop':
        this.drop(record.transactions)
        break
      default:
        record satisfies never
    }
  }

  add(transactions: readonly PoolTransaction[]): void {
    const replay = this.#collected?.replay ?? this.#deferred
    if (replay !== undefined) {
      replay.add(transactions)
      return
    }
    for (const transaction of transactions) {
      const verdict = this.#current.pool.addRecorded(transaction)
      if (verdict.kind === 'added' || EXPECTED_REFUSALS.has(verdict.refusal.code)) continue
      // A leader that lists its pool has not replaced it yet: the replacement waits for its sync.
      if (this.#current.pool.isReplaced(transaction.hash)) continue
      this.#refused ??= `POOL_DIFFERS: the pool here refuses ${transaction.hash}, which the leader's has: ${verdict.refusal.code}`
    }
  }

  /** Why the pool differs from the recorded one, if it does: a transaction was refused since the last call. */
  takeRefusal(): string | undefined {
    const refused = this.#refused
    this.#refused = undefined
    return refused
  }

  drop(transactions: readonly DroppedTransaction[]): void {
    const replay = this.#collected?.replay ?? this.#deferred
    if (replay !== undefined) {
      replay.drop(transactions)
      return
    }
    for (const { hash, reason } of transactions) this.#current.pool.applyDrop(hash, reason)
  }

  /** Blocks are unwound before the collected pool is in use. The preceding pool record lists its transactions. */
  unwound(): void {
    const replay = this.#collected?.replay ?? this.#deferred
    replay?.unwind()
  }

  /** Defers changes after an unwind until `applyDeferred`. */
  defer(): void {
    this.applyDeferred()
    this.#deferred = new PoolReplay(this.#current.pool.waiting())
  }

  /** Makes deferred changes. Call when a head that follows the unwind is shown. */
  applyDeferred(): void {
    const replay = this.#deferred
    if (replay === undefined) return
    this.#deferred = undefined
    this.drop(replay.dropped)
    const pooled = new Set(replay.pooled.map(({ hash }) => hash))
    // Included in a block that was unwound before it was shown here.
    const gone = this.#current.pool.waiting().filter(({ hash }) => !pooled.has(hash))
    this.drop(gone.map(({ hash }) => ({ hash, reason: { code: 'REMOVED' } })))
    this.add(replay.pooled)
  }

  /** Another chain replaces the shown one: the collected pool enters with its first head. */
  release(): void {
    this.#sequence = 0
    if (this.#collected !== undefined) this.#collected = { ...this.#collected, until: 0 }
  }

  /**
   * Call when the records up to `sequence` are applied and a head shows them.
   *
   * @returns collected transactions that the pool here rejects. A leader records that they are dropped.
   */
  applied(sequence: number): readonly RemovedTransaction[] {
    const collected = this.#collected
    if (collected === undefined) this.#sequence = sequence
    if (collected === undefined || sequence < collected.until || !this.#current.isShown) return []
    this.#collected = undefined
    this.#sequence = sequence
    return this.#current.pool.restore(collected.replay.pooled, collected.replay.dropped)
  }

  /** This node leads from now on: announces drops that the former leader had not recorded when it ended. */
  takeOver(): void {
    const { pool } = this.#current
    if (this.#collected !== undefined) pool.announceDropped(this.applied(Number.POSITIVE_INFINITY))
    this.#sequence = 0
    pool.announceReplaced()
  }

  /** Whether these are all pool transactions: then no earlier record is needed for the pool. */
  isAll(transactions: readonly PoolTransaction[]): boolean {
    if (this.#collected !== undefined || transactions.length < this.#current.view().pool.size) return false
    const given = new Set(transactions.map(({ hash }) => hash))
    return this.#current.pool.waiting().every(({ hash }) => given.has(hash))
  }
}
