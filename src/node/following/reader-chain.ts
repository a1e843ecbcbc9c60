import type { Hash } from '../../primitives/hex.ts'
import type { ChainStore } from '../../state/chain-store/chain-store.ts'
import { type ChainRecord, decodeRecordWith, type UnwindRecord } from '../../state/records/record.ts'
import { isPoolChange, movesTip } from '../../state/records/record-kinds.ts'
import type { Snapshot } from '../../state/snapshot.ts'
import type { TrieNodeCache } from '../../state/trie/node-cache.ts'
import { openStateTrie } from '../../state/trie/state-trie.ts'
import type { LogRecord } from '../../storage/segment-frame.ts'
import { BlockBeginnings } from '../log/block-beginnings.ts'
import type { NumberedRecord } from '../log/journal.ts'
import type { SealedBlock } from '../machine/announcement.ts'
import { applyRecord, type ShowEffect } from '../machine/apply-record.ts'
import { type ChainState, chainState } from '../machine/chain-state.ts'
import type { Finality } from '../machine/finality.ts'
import { onNewestBase } from '../machine/followed-content.ts'
import { assembleHead } from '../machine/head-transitions.ts'
import { recover } from '../machine/recovery.ts'
import { removedBlocks, unwound } from '../machine/unwinding.ts'
import type { CurrentView } from '../view/current-view.ts'
import { AppliedRecords } from './applied-records.ts'
import type { PoolMirror } from './pool-mirror.ts'

export interface ReaderChainOptions {
  /** Finality of the followed node. */
  readonly finality: Finality
  /** The first record that will arrive. */
  readonly from: number
  /** The record as of which the pool is: earlier pool records are skipped. */
  readonly poolSequence: number
}

export interface ReaderChainDeps {
  /** The followed node's store; read only. */
  readonly chain: Pick<ChainStore, 'snapshot' | 'newest'>
  readonly cache: TrieNodeCache
  readonly current: CurrentView
  readonly pool: PoolMirror
}

type Shown = Pick<ShowEffect, 'content' | 'flashblocks' | 'sealed'>

/** The reader is out of step with the followed node and must be restarted. */
export class ReaderError extends Error {
  override readonly name = 'ReaderError'
}

/** No head exists before a record opens a block above the store, and between an unwind and the next opening. */
type Phase =
  | { readonly kind: 'starting'; readonly records: NumberedRecord[] }
  | { readonly kind: 'following'; readonly state: ChainState }
  | UnwoundPhase

/** The former head is shown until the next opening. The store has been unwound, and may have been extended again. */
interface UnwoundPhase {
  readonly kind: 'unwound'
  /** Records since the unwind; the first one is the unwind. */
  readonly records: NumberedRecord[]
}

/**
 * The chain of a process that shares the store of the followed node. Records are applied to snapshots of the store,
 * never executed. Nothing is written, so a record is shown in the step in which it arrives.
 */
export class ReaderChain {
  readonly #options: ReaderChainOptions
  readonly #deps: ReaderChainDeps
  #phase: Phase = { kind: 'starting', records: [] }
  #sequence: number
  /** Block finalized at the last unwind: the snapshot may be older than that. */
  #finalizedBefore = 0
  /** The first record of each block that may not be stored, oldest first. */
  readonly #firstRecords = new Map<number, number>()
  readonly #beginnings = new BlockBeginnings()
  /** The lowest block to which the shown chain was unwound, until another head is shown. */
  #unwoundTo: number | undefined
  #onShown: () => void = () => undefined
  readonly #applied = new AppliedRecords()

  constructor(options: ReaderChainOptions, deps: ReaderChainDeps) {
    this.#options = options
    this.#deps = deps
    this.#sequence = options.from - 1
    this.#applied.advance(this.#sequence)
  }

  /** The newest applied record. */
  get sequence(): number {
    return this.#sequence
  }

  /** The first record of the oldest block above `number`. */
  firstAbove(number: number): number {
    for (const [height, sequence] of this.#firstRecords) if (height > number) return sequence
    return this.#sequence + 1
  }

  /** Resolves when a head is available. */
  shown(): Promise<void> {
    if (this.#deps.current.isShown) return Promise.resolve()
    return new Promise((resolve) => {
      this.#onShown = resolve
    })
  }

  /** Resolves when a record is applied and shown. */
  applied(sequence: number): Promise<void> {
    return this.#applied.applied(sequence)
  }

  /**
   * Applies consecutive records.
   *
   * @throws ReaderError, RecordError or RecoveryError when they do not follow the applied ones; the reader is unusable
   * then
   */
  apply(received: readonly LogRecord[]): void {
    const { current } = this.#deps
    const pooled = (hash: Hash) => current.pool.get(hash)
    const records = received.map(({ sequence, payload }) => ({ sequence, record: decodeRecordWith(payload, pooled) }))
    for (const [index, numbered] of records.entries()) {
      if (numbered.sequence !== this.#sequence + 1) {
        throw new ReaderError(`record ${this.#sequence + 1} is missing, ${numbered.sequence} came`)
      }
      this.#take(numbered, records[index + 1])
      this.#sequence = numbered.sequence
    }
    if (this.#phase.kind === 'starting') this.#begin(this.#phase.records)
    if (this.#unwoundTo === undefined) this.#deps.pool.applyDeferred()
    this.#deps.pool.applied(this.#sequence)
    if (this.#deps.current.isShown) this.#onShown()
    // After an unwind, the records are shown with the next head.
    if (this.#phase.kind !== 'unwound') this.#applied.advance(this.#sequence)
    const refusal = this.#deps.pool.takeRefusal()
    if (refusal !== undefined) throw new ReaderError(refusal)
  }

  /** Moves to the newest block that the followed node has stored. */
  rebase(): void {
    if (this.#phase.kind !== 'following') return
    const { content } = this.#phase.state
    // Applied records that are not shown yet are shown with their own effect.
    const { pending } = content
    if (pending === undefined || content.sequence !== this.#deps.current.head.sequence) return
    if (content.base.number === this.#deps.chain.newest()!.number) return
    this.#show(this.#phase.state, { content: { ...content, pending }, flashblocks: [], sealed: [] })
  }

  #take({ sequence, record }: NumberedRecord, next: NumberedRecord | undefined): void {
    const { pool } = this.#deps
    this.#noteBeginning(record, sequence)
    if (isPoolChange(record)) {
      if (sequence <= this.#options.poolSequence) return
      // Earlier records are shown by now, except a flashblock that waits for its seal.
      pool.applied(sequence - 1)
      pool.take(record)
      return
    }
    if (this.#phase.kind === 'starting') {
      this.#phase.records.push({ sequence, record })
      return
    }
    this.#follow({ sequence, record }, this.#phase, next)
  }

  #follow(
    numbered: NumberedRecord,
    phase: Exclude<Phase, { kind: 'starting' }>,
    next: NumberedRecord | undefined,
  ): void {
    const { sequence, record } = numbered
    if (phase.kind === 'unwound') {
      phase.records.push(numbered)
      if (record.kind === 'unwind') this.#emitUnwound(record)
      else if (record.kind === 'flashblock') this.#resume(phase, next)
      return
    }
    if (record.kind === 'unwind') {
      this.#unwind(record, sequence, phase.state)
      return
    }
    const { state, effects } = applyRecord(phase.state, numbered, { next: next?.record })
    this.#phase = { kind: 'following', state }
    for (const effect of effects) {
      switch (effect.kind) {
        case 'show':
          this.#show(state, effect)
          break
        case 'pool':
        case 'drop':
        case 'unwind':
          // Taken before the record is applied.
          break
        case 'epoch':
        case 'write':
          // For the followed node, which writes the store.
          break
        default:
          effect satisfies never
      }
    }
  }

  #noteBeginning(record: ChainRecord, sequence: number): void {
    if (record.kind === 'unwind') {
      for (const height of this.#firstRecords.keys()) if (height > record.number) this.#firstRecords.delete(height)
    }
    const number = this.#beginnings.take(record)
    if (number !== undefined) this.#firstRecords.set(number, sequence)
  }

  /** Starts when a record opens a block above the store, which may be ahead of the records at first. */
  #begin(records: readonly NumberedRecord[]): void {
    const last = records.at(-1)?.record
    // The store no longer contains unwound blocks when the next block opens.
    if (last?.kind !== 'flashblock') return
    const { chain, cache } = this.#deps
    const base = chain.snapshot()
    if (last.header.number <= base.number) {
      base.release()
      return
    }
    // Not the whole block, whose body may be damaged.
    const header = base.header(base.number)!
    const hash = base.blockHash(base.number)!
    const baseTrie = openStateTrie(header.stateRoot, base.trieNodes, cache)
    const { sequence, recent, open, partials } = recover({ number: base.number, hash, trie: baseTrie }, records)
    if (open === undefined) throw new ReaderError(`the open block is not above block ${base.number} of the store`)
    const content = { sequence, base, baseTrie, recent, pending: open, partials }
    this.#show(chainState(content), { content, flashblocks: [], sealed: [] })
  }

  #show(state: ChainState, { content, flashblocks, sealed }: Shown): void {
    const { chain, current } = this.#deps
    // Blocks that were stored before their records arrived.
    const missed = this.#unwoundTo === undefined ? [] : sealedBlocks(content.base, this.#unwoundTo)
    this.#unwoundTo = undefined
    const based = onNewestBase(content, chain)
    // No head owns a base that was never shown.
    if (based.base !== content.base && (!current.isShown || current.head.base !== content.base)) content.base.release()
    const head = assembleHead(based, this.#options.finality, { finalizedBefore: this.#finalizedBefore })
    // The tries read stored nodes from the base and release those in memory.
    const { recent, pending } = head
    this.#phase = { kind: 'following', state: { ...state, content: { ...based, recent, pending } } }
    for (const height of this.#firstRecords.keys()) {
      if (height <= based.base.number) this.#firstRecords.delete(height)
    }
    current.publish({ head, flashblocks, sealed: [...missed, ...sealed] })
  }

  /** Unwinds the shown chain. Where the store had the removed blocks, its newest block is the next base. */
  #unwind(record: UnwindRecord, sequence: number, before: ChainState): void {
    const { state } = applyRecord(before, { sequence, record })
    const { base } = state.content
    if (base.number <= record.number) this.#phase = { kind: 'following', state }
    else {
      this.#phase = { kind: 'unwound', records: [{ sequence, record }] }
      // No head owns a base that was never shown.
      if (base !== this.#deps.current.head.base) base.release()
    }
    this.#emitUnwound(record)
  }

  /** Emits the removed blocks of the shown chain, which are read from the snapshot of the current head. */
  #emitUnwound({ number }: UnwindRecord): void {
    const { current, pool } = this.#deps
    const before = this.#unwoundTo
    if (before === undefined) pool.defer()
    else pool.unwound()
    const removed = removedBlocks(current.head, number).filter(
      ({ block, wasSealed }) => before === undefined || (wasSealed && block.header.number <= before),
    )
    const finalized = before === undefined ? current.head.sealed.finalized : this.#finalizedBefore
    this.#finalizedBefore = Math.min(number, finalized)
    this.#unwoundTo = Math.min(number, before ?? number)
    current.emitUnwound(removed)
  }

  /**
   * Follows the store again when a block opens on its newest one. If the store is ahead of the records, a later opening
   * will.
   */
  #resume({ records }: UnwoundPhase, next: NumberedRecord | undefined): void {
    const { chain, cache } = this.#deps
    const base = chain.snapshot()
    const first = firstRecordOn(base, records)
    if (first === undefined) {
      base.release()
      return
    }
    const last = records[first - 1]!
    const baseTrie = openStateTrie(base.header(base.number)!.stateRoot, base.trieNodes, cache)
    const { sequence } = last
    const stored = chainState({ sequence, base, baseTrie, recent: [], pending: undefined, partials: [] })
    const state = last.record.kind === 'unwind' ? unwound(stored, last.record, sequence) : stored
    this.#phase = { kind: 'following', state }
    const following = records.slice(first)
    for (const [index, numbered] of following.entries()) {
      this.#follow(numbered, this.#phase, following[index + 1] ?? next)
    }
  }
}

/**
 * Index of the first record after the newest block of a store: after its seal, or after the unwind to it. `undefined`
 * unless a flashblock opens the next block.
 */
function firstRecordOn(base: Snapshot, records: readonly NumberedRecord[]): number | undefined {
  const { number } = base
  const hash = base.blockHash(number)
  const last = records.findLastIndex(({ record }) => movesTip(record) && record.number <= number)
  // An unwind whose record is still to come may have removed all blocks of these records.
  const record = records[last]?.record
  const isNewest = record !== undefined && movesTip(record) && record.number === number && record.hash === hash
  const opens = records.slice(last + 1).some(({ record }) => record.kind === 'flashblock' && record.index === 0)
  return isNewest && opens ? last + 1 : undefined
}

/** Blocks of a store above a height, oldest first. */
function sealedBlocks(base: Snapshot, height: number): readonly SealedBlock[] {
  return Array.from({ length: base.number - height }, (_, index) => {
    const number = height + 1 + index
    return { block: base.block(number)!, receipts: base.receipts(number)! }
  })
}
