import { CodedError } from '../../primitives/coded-error.ts'
import type { Hash } from '../../primitives/hex.ts'
import { keccakHash } from '../../primitives/keccak.ts'
import { StatePrunedError } from '../../state/chain-errors.ts'
import type { ChainStore } from '../../state/chain-store/chain-store.ts'
import { type ChainRecord, decodeRecordWith, RecordError, type UnwindRecord } from '../../state/records/record.ts'
import type { Snapshot } from '../../state/snapshot.ts'
import type { StateTrie } from '../../state/trie/state-trie.ts'
import type { LogRecord } from '../../storage/segment-frame.ts'
import type { RecordLog } from '../log/record-log.ts'
import type { Cursor } from '../log/record-source.ts'
import type { Announcement } from '../machine/announcement.ts'
import { applyRecord, type Effect, type ShowEffect } from '../machine/apply-record.ts'
import { type ChainState, chainState, rebased } from '../machine/chain-state.ts'
import type { Finality } from '../machine/finality.ts'
import type { FollowedContent } from '../machine/followed-content.ts'
import type { Head } from '../machine/head.ts'
import { assembleHead, sealedIn, withBase } from '../machine/head-transitions.ts'
import type { Epoch } from '../machine/recovery.ts'
import { RecoveryError } from '../machine/recovery-error.ts'
import { removedBlocks } from '../machine/unwinding.ts'
import type { BlockWriter } from '../store/block-writer.ts'
import type { ChainWriter } from '../store/chain-writer.ts'
import type { CurrentView } from '../view/current-view.ts'
import { AppliedRecords } from './applied-records.ts'
import { forkFrom, isOtherChain, untold } from './fork-point.ts'
import type { PoolMirror } from './pool-mirror.ts'

export type ReplicaChainErrorCode =
  /** A record is missing: the stream has to resume before it. */
  | 'GAP'
  /** A record is invalid or does not follow the previous ones. */
  | 'INVALID'
  /** The state of the target of an unwind is not retained: the replica has to restore a snapshot. */
  | 'TOO_OLD'
  /** The pool here refused a transaction of the recorded pool: the replica has to restore a snapshot. */
  | 'POOL_DIFFERS'

/** Records were not applied; the chain is as after the last applied one. */
export class ReplicaChainError extends CodedError<ReplicaChainErrorCode> {
  override readonly name = 'ReplicaChainError'
}

export interface ReplicaChainDeps {
  readonly chain: ChainStore
  readonly records: RecordLog
  readonly writer: Pick<BlockWriter, 'enqueue' | 'idle' | 'room'>
  readonly chainWriter: Pick<ChainWriter, 'unwind'>
  readonly current: CurrentView
  readonly pool: PoolMirror
  /** Finality of the followed node. */
  readonly finality: () => Finality
  /** Called when the epoch of another leader is applied. */
  readonly onEpoch?: ((epoch: Epoch) => void) | undefined
}

interface NumberedPayload extends LogRecord {
  readonly record: ChainRecord
}

/**
 * The chain of a node that follows another. Records are verified, applied without execution, appended to a log of its
 * own under the same numbers, and shown when they are durable. One call at a time.
 */
export class ReplicaChain {
  readonly #deps: ReplicaChainDeps
  #base: { readonly base: Snapshot; readonly baseTrie: StateTrie } | undefined
  #state!: ChainState
  /** The newest head, which is shown unless another one is held. */
  #head: Head | undefined
  readonly #applied = new AppliedRecords()
  /** Head that stays shown while the records up to it are applied again. */
  #held: { readonly head: Head; readonly comparableFrom: number } | undefined
  #duplicates = 0

  constructor(deps: ReplicaChainDeps) {
    this.#deps = deps
  }

  /** Number of records received more than once. */
  get duplicates(): number {
    return this.#duplicates
  }

  /** The newest applied record. */
  get sequence(): number {
    return this.#deps.records.lastSequence
  }

  /** Where to resume; absent if there are no records. */
  cursor(): Cursor | undefined {
    const { records } = this.#deps
    const { lastSequence: newest } = records
    const reader = records.newReader()
    // After a snapshot the log begins with a record that has not arrived yet.
    if ((reader.first() ?? Number.POSITIVE_INFINITY) > newest) return undefined
    for (const { sequence, payload } of reader.read(newest, newest)) return { sequence, hash: keccakHash(payload) }
    return undefined
  }

  /** Starts from recovered or restored content; shows it if a block is open. */
  begin(content: FollowedContent): void {
    this.#setBase(content.base, content.baseTrie)
    this.#state = chainState(content)
    const { pending } = content
    if (pending !== undefined) this.#show({ content: { ...content, pending }, flashblocks: [], sealed: [] })
    for (const block of content.recent) this.#deps.writer.enqueue(block)
    this.#deps.pool.applied(this.sequence)
    this.#applied.advance(this.sequence)
  }

  /**
   * Keeps the current head shown while the chain is applied again, until the records reach it: listeners have received
   * those records.
   *
   * @param comparableFrom the record from which on a different block means another chain, which is then shown;
   * `undefined`: the chain is another one, and is shown from its first head on
   */
  hold(comparableFrom: number | undefined): void {
    this.#held = comparableFrom === undefined ? undefined : { head: this.#deps.current.head, comparableFrom }
  }

  /** Passes the applied chain to a leader, which then owns its snapshot. */
  handOver(): ChainState {
    this.#base = undefined
    return this.#state
  }

  /**
   * Continues from a head that another component showed. Records after it, which are not shown yet, are applied.
   *
   * @throws ReplicaChainError
   */
  resumeFrom(content: FollowedContent): void {
    const { base, baseTrie } = content
    this.#base = { base, baseTrie }
    this.#state = chainState(content)
    const { records } = this.#deps
    const { records: written, failure } = this.#decode(
      [...records.newReader().read(content.sequence + 1, records.lastSequence)],
      content.sequence + 1,
    )
    const { state, effects, applied, failure: unfit } = this.#reduce(written, undefined)
    if (failure !== undefined || unfit !== undefined) throw failure ?? unfit
    if (applied < written.length) throw invalid('blocks to be unwound are still present: restart this node')
    this.#state = state
    for (const effect of effects) this.#take(effect)
    this.#applied.advance(this.sequence)
  }

  /** Moves to a newer base; readers of older heads keep their snapshots. */
  rebase(base: Snapshot, baseTrie: StateTrie): void {
    this.#setBase(base, baseTrie)
    this.#state = rebased(this.#state, base, baseTrie)
    const { content } = this.#state
    // Applied records that are not shown yet are shown with their own effect.
    const { current } = this.#deps
    if (!current.isShown || this.#held !== undefined) return
    if (content.pending === undefined || content.sequence !== current.head.sequence) return
    this.#show({ content: { ...content, pending: content.pending }, flashblocks: [], sealed: [] })
  }

  /** Resolves when a record is applied and shown. */
  applied(sequence: number): Promise<void> {
    return this.#applied.applied(sequence)
  }

  /**
   * Applies consecutive records and skips those already applied. When a record cannot be applied, the ones before it
   * are.
   *
   * @throws ReplicaChainError
   */
  async apply(received: readonly LogRecord[]): Promise<void> {
    const { records, failure } = this.#decode(received)
    for (let start = 0; start < records.length; ) {
      const first = records[start]!
      if (first.record.kind === 'unwind') {
        await this.#unwind(first, first.record)
        start += 1
        continue
      }
      const end = runEnd(records, start)
      await this.#applyRun(records.slice(start, end), records[end]?.record)
      start = end
    }
    if (failure !== undefined) throw failure
  }

  #decode(
    received: readonly LogRecord[],
    first = this.sequence + 1,
  ): {
    readonly records: readonly NumberedPayload[]
    readonly failure: ReplicaChainError | undefined
  } {
    const { current } = this.#deps
    const pooled = (hash: Hash) => current.pool.get(hash)
    const records: NumberedPayload[] = []
    let next = first
    for (const { sequence, payload } of received) {
      if (sequence < next) {
        this.#duplicates += 1
        continue
      }
      if (sequence > next) {
        return { records, failure: new ReplicaChainError('GAP', `record ${next} is missing, ${sequence} came`) }
      }
      try {
        records.push({ sequence, payload, record: decodeRecordWith(payload, pooled) })
      } catch (error) {
        if (!(error instanceof RecordError)) throw error
        return { records, failure: invalid(`record ${sequence} cannot be read: ${error.message}`, error) }
      }
      next += 1
    }
    return { records, failure: undefined }
  }

  /**
   * Verifies the records, then appends them, then shows them.
   *
   * @param following the record after the run, if known
   */
  async #applyRun(run: readonly NumberedPayload[], following: ChainRecord | undefined): Promise<void> {
    const { records, writer } = this.#deps
    await writer.room()
    const { state, effects, applied, failure } = this.#reduce(run, following)
    for (const { payload, record } of run.slice(0, applied)) records.appendEncoded(payload, record)
    this.#state = state
    await records.sync()
    for (const effect of effects) this.#take(effect)
    this.#deps.pool.applied(this.sequence)
    this.#applied.advance(this.sequence)
    if (failure !== undefined) throw failure
    const refusal = this.#deps.pool.takeRefusal()
    if (refusal !== undefined) throw new ReplicaChainError('POOL_DIFFERS', refusal)
  }

  /** @param following the record after the run, if known */
  #reduce(
    run: readonly NumberedPayload[],
    following: ChainRecord | undefined,
  ): {
    readonly state: ChainState
    readonly effects: readonly Effect[]
    /** Number of applied records. */
    readonly applied: number
    readonly failure: ReplicaChainError | undefined
  } {
    const effects: Effect[] = []
    let state = this.#state
    for (const [applied, { sequence, record }] of run.entries()) {
      if (record.kind === 'unwind') return { state, effects, applied, failure: undefined }
      try {
        const next = run[applied + 1]?.record ?? following
        const after = applyRecord(state, { sequence, record }, { next })
        state = after.state
        effects.push(...after.effects)
      } catch (error) {
        if (!(error instanceof RecoveryError)) throw error
        return { state, effects, applied, failure: invalid(error.message, error) }
      }
    }
    return { state, effects, applied: run.length, failure: undefined }
  }

  #take(effect: Effect): void {
    const { pool, records } = this.#deps
    pool.applied(effect.sequence - 1)
    switch (effect.kind) {
      case 'pool':
        pool.add(effect.transactions)
        if (pool.isAll(effect.transactions)) records.poolCheckpoint = effect.sequence
        break
      case 'drop':
        pool.drop(effect.transactions)
        break
      case 'epoch':
        this.#deps.onEpoch?.({ sequence: effect.sequence, leader: effect.leader })
        break
      case 'show':
        this.#show(effect)
        break
      case 'write':
        this.#write(effect.number)
        break
      case 'unwind':
        // The store is unwound where the record is applied.
        break
      default:
        effect satisfies never
    }
  }

  #show({ content, flashblocks, sealed }: Pick<ShowEffect, 'content' | 'flashblocks' | 'sealed'>): void {
    const { current, finality } = this.#deps
    const { base, baseTrie } = this.#base!
    const head = assembleHead(withBase(content, base, baseTrie), finality(), { before: this.#head })
    this.#head = head
    if (this.#state.content.sequence === head.sequence) {
      // The tries read stored nodes from the base and release those in memory.
      const { recent, pending } = head
      this.#state = { ...this.#state, content: { ...content, base, baseTrie, recent, pending } }
    }
    const announcement = { head, flashblocks, sealed }
    const held = this.#held
    if (held === undefined) current.publish(announcement)
    else if (head.sequence >= held.head.sequence) this.#showInstead(held.head, announcement)
    else if (head.sequence >= held.comparableFrom && isOtherChain(current.view(), head)) {
      this.#showInstead(held.head, announcement)
    }
  }

  #write(number: number): void {
    this.#deps.writer.enqueue(sealedIn(this.#head!, number))
  }

  #showInstead(before: Head, announcement: Announcement): void {
    const { current } = this.#deps
    this.#held = undefined
    const rest = untold(before, announcement)
    if (rest !== undefined) {
      // The store was rebuilt: the pool must be judged by the new state.
      current.emitUnwound([])
      current.publish({ head: announcement.head, ...rest })
      return
    }
    this.#deps.pool.release()
    const fork = forkFrom(current.view(), announcement.head)
    current.emitUnwound(fork === undefined ? [] : removedBlocks(before, fork), { isComplete: false })
    current.publish(announcement)
  }

  async #unwind({ sequence, payload }: LogRecord, record: UnwindRecord): Promise<void> {
    const { chain, records, writer, chainWriter, current, finality } = this.#deps
    await writer.idle()
    const before = chain.snapshot()
    try {
      const { number } = record
      if (number < before.oldestState) {
        // A replica that restarts from genesis reaches this record again and needs the state then.
        chain.keepMore(before.oldestState - number)
        throw new ReplicaChainError(
          'TOO_OLD',
          `blocks down to ${number} are unwound, the oldest state here is ${before.oldestState}`,
        )
      }
      const { state } = applyRecord(this.#state, { sequence, record })
      records.appendEncoded(payload, record)
      await records.sync()
      const isHeld = this.#held !== undefined
      const removed = current.isShown && !isHeld ? removedBlocks(current.head, number) : []
      const { base, baseTrie } = await chainWriter.unwind(number, { finality: finality(), isReplayed: isHeld })
      this.#setBase(base, baseTrie)
      this.#state = rebased(state, base, baseTrie)
      if (isHeld) this.#deps.pool.unwound()
      else current.emitUnwound(removed)
      this.#applied.advance(this.sequence)
    } catch (error) {
      if (error instanceof StatePrunedError) throw new ReplicaChainError('TOO_OLD', error.message, { cause: error })
      if (error instanceof RecoveryError) throw invalid(error.message, error)
      throw error
    } finally {
      before.release()
    }
  }

  /** No head owns a base that was never shown. */
  #setBase(base: Snapshot, baseTrie: StateTrie): void {
    const { current } = this.#deps
    const old = this.#base?.base
    this.#base = { base, baseTrie }
    if (old !== undefined && old !== base && (!current.isShown || current.head.base !== old)) old.release()
  }
}

/**
 * Ends a run at the opening of a block. A run thus seals at most one block, for which the writer had room. Without that
 * bound, a replica that catches up would assemble heads from all received blocks.
 */
function runEnd(records: readonly NumberedPayload[], start: number): number {
  for (let end = start; end < records.length; end++) {
    const { record } = records[end]!
    if (record.kind === 'unwind') return end
    if (record.kind === 'flashblock' && record.index === 0) return end + 1
  }
  return records.length
}

function invalid(message: string, cause?: Error): ReplicaChainError {
  return new ReplicaChainError('INVALID', message, { cause })
}
