import type { Hash } from '../../../primitives/hex.ts'
import type { ChainStore } from '../../../state/chain-store/chain-store.ts'
import { decodeRecordWith, type UnwindRecord } from '../../../state/record.ts'
import type { TrieNodeCache } from '../../../state/trie/node-cache.ts'
import { openStateTrie } from '../../../state/trie/state-trie.ts'
import type { LogRecord } from '../../../storage/segment-frame.ts'
import type { CurrentView } from '../../core/current-view.ts'
import type { NumberedRecord } from '../../log/journal.ts'
import { type FollowedContent, onNewestBase } from '../../replay/followed-content.ts'
import { assembleHead } from '../../replay/head-transitions.ts'
import type { PoolMirror } from '../../replay/pool-mirror.ts'
import { recover } from '../../replay/recovery.ts'
import { type ReplayState, reduceRecord, replayStart, type ShowEffect, unwound } from '../../replay/reducer.ts'
import { removedBlocks } from '../leader/set-head.ts'

export interface ReaderChainOptions {
  /** Blocks between latest and finalized, as the followed node has it. */
  readonly finalityDepth: number
  /** The first record that comes. */
  readonly from: number
  /** The record as of which the pool is: what those up to it say of the pool is known. */
  readonly poolSequence: number
}

export interface ReaderChainParts {
  /** Of the node that is followed; only read. */
  readonly chain: Pick<ChainStore, 'snapshot' | 'newest'>
  readonly cache: TrieNodeCache
  readonly current: CurrentView
  readonly pool: PoolMirror
}

type Shown = Pick<ShowEffect, 'content' | 'flashblocks' | 'sealed'>

/** The reader and the node that it follows do not agree: the reader has to begin anew. */
export class ReaderError extends Error {
  override readonly name = 'ReaderError'
}

/** Records without a head: until one opens a block above the store, or the one that follows blocks taken back. */
type Phase =
  | { readonly kind: 'beginning'; readonly records: NumberedRecord[] }
  | { readonly kind: 'following'; readonly state: ReplayState }
  | { readonly kind: 'unwound'; readonly to: UnwindRecord; readonly partials: FollowedContent['partials'] }

/**
 * The chain of a process that shares the store of the node that it follows: records are applied, never executed (design
 * claim 3), upon snapshots of what the other process has stored. Nothing is written, so that a record is shown in the step
 * in which it comes.
 */
export class ReaderChain {
  readonly #options: ReaderChainOptions
  readonly #parts: ReaderChainParts
  #phase: Phase = { kind: 'beginning', records: [] }
  #sequence: number
  /** When blocks were taken back last: what is read from the store may be of before. */
  #finalizedBefore = 0
  /** The first record of each block that may not be in the store, oldest first. */
  readonly #openings = new Map<number, number>()
  #onShown: () => void = () => undefined
  /** By the record that they wait for. */
  readonly #waiting = new Map<number, (() => void)[]>()

  constructor(options: ReaderChainOptions, parts: ReaderChainParts) {
    this.#options = options
    this.#parts = parts
    this.#sequence = options.from - 1
  }

  /** The newest record that is applied. */
  get sequence(): number {
    return this.#sequence
  }

  /** The first record of the oldest block above `number`. */
  firstAbove(number: number): number {
    for (const [height, sequence] of this.#openings) if (height > number) return sequence
    return this.#sequence + 1
  }

  /** Settles when there is a head. */
  shown(): Promise<void> {
    if (this.#parts.current.isShown) return Promise.resolve()
    return new Promise((resolve) => {
      this.#onShown = resolve
    })
  }

  /** Settles when a record is applied and shown. */
  applied(sequence: number): Promise<void> {
    if (sequence <= this.#sequence) return Promise.resolve()
    return new Promise((resolve) => {
      const waiting = this.#waiting.get(sequence)
      if (waiting === undefined) this.#waiting.set(sequence, [resolve])
      else waiting.push(resolve)
    })
  }

  /**
   * Applies records that follow each other.
   *
   * @throws ReaderError, RecordError or RecoveryError when they do not follow what is here; nothing can be read any more then
   */
  apply(received: readonly LogRecord[]): void {
    const { current } = this.#parts
    const pooled = (hash: Hash) => current.pooled(hash)
    const records = received.map(({ sequence, payload }) => ({ sequence, record: decodeRecordWith(payload, pooled) }))
    for (const [index, numbered] of records.entries()) {
      if (numbered.sequence !== this.#sequence + 1) {
        throw new ReaderError(`record ${this.#sequence + 1} is missing, ${numbered.sequence} came`)
      }
      this.#take(numbered, records[index + 1])
      this.#sequence = numbered.sequence
    }
    if (this.#phase.kind === 'beginning') this.#begin(this.#phase.records)
    this.#parts.pool.applied(this.#sequence)
    this.#wake()
  }

  /** Stands on what the followed node has stored by now. */
  rebase(): void {
    if (this.#phase.kind !== 'following') return
    const { content } = this.#phase.state
    // What is applied and not shown yet shows with its own step.
    const { pending } = content
    if (pending === undefined || content.sequence !== this.#parts.current.head.sequence) return
    if (content.base.number === this.#parts.chain.newest()!.number) return
    this.#show(this.#phase.state, { content: { ...content, pending }, flashblocks: [], sealed: undefined })
  }

  #take({ sequence, record }: NumberedRecord, next: NumberedRecord | undefined): void {
    const { pool } = this.#parts
    if (record.kind === 'flashblock' && record.index === 0) this.#openings.set(record.header.number, sequence)
    if (record.kind === 'pool' || record.kind === 'drop') {
      if (sequence <= this.#options.poolSequence) return
      // Those before them are shown by now, but for what is held back until a block is sealed.
      pool.applied(sequence - 1)
      if (record.kind === 'pool') pool.add(record.transactions)
      else pool.drop(record.transactions)
      return
    }
    if (this.#phase.kind === 'beginning') {
      this.#phase.records.push({ sequence, record })
      return
    }
    if (record.kind === 'unwind') {
      this.#unwind(record, sequence)
      return
    }
    const state = this.#phase.kind === 'following' ? this.#phase.state : this.#resume(this.#phase, sequence)
    const { state: after, effect } = reduceRecord(state, { sequence, record }, next?.record)
    this.#phase = { kind: 'following', state: after }
    if (effect?.kind === 'show') this.#show(after, effect)
  }

  /** The store may be ahead of the records that came: then more of them have to. */
  #begin(records: readonly NumberedRecord[]): void {
    const last = records.at(-1)?.record
    // Blocks that are taken back are gone from the store when the next one opens.
    if (last?.kind !== 'flashblock') return
    const { chain, cache } = this.#parts
    const base = chain.snapshot()
    if (last.header.number <= base.number) {
      base.release()
      return
    }
    const { header, hash } = base.block(base.number)!
    const baseTrie = openStateTrie(header.stateRoot, base.trieNodes, cache)
    const { sequence, recent, open, partials } = recover({ number: base.number, hash, trie: baseTrie }, records)
    if (open === undefined) throw new ReaderError(`the open block is not above block ${base.number} of the store`)
    const content = { sequence, base, baseTrie, recent, pending: open, partials }
    this.#show(replayStart(content), { content, flashblocks: [], sealed: undefined })
  }

  #show(state: ReplayState, { content, flashblocks, sealed }: Shown): void {
    const { chain, current } = this.#parts
    const based = onNewestBase(content, chain)
    // What no head shows has no other owner.
    if (based.base !== content.base && (!current.isShown || current.head.base !== content.base)) content.base.release()
    const head = assembleHead(based, this.#options.finalityDepth, this.#finalizedBefore)
    // Its tries read what is stored from the base, and let go of what they had in memory.
    const { recent, pending } = head
    this.#phase = { kind: 'following', state: { ...state, content: { ...based, recent, pending } } }
    for (const height of this.#openings.keys()) if (height <= based.base.number) this.#openings.delete(height)
    current.publish({ head, flashblocks, ...(sealed !== undefined && { sealed }) })
  }

  /** The blocks are gone for everybody here; what they were is still read from the snapshot of the present head. */
  #unwind(record: UnwindRecord, sequence: number): void {
    if (this.#phase.kind !== 'following') throw new ReaderError(`record ${sequence} takes blocks back once more`)
    const { current } = this.#parts
    const { number, hash } = record
    const content = unwound(this.#phase.state.content, number, sequence)
    const { base, recent, partials } = content
    if ((recent.at(-1)?.block.hash ?? base.blockHash(number)) !== hash) {
      throw new ReaderError(`record ${sequence} goes back to block ${hash}, which is not here`)
    }
    this.#finalizedBefore = Math.min(number, current.head.sealed.finalized)
    const removed = removedBlocks(current.head, number)
    for (const height of this.#openings.keys()) if (height > number) this.#openings.delete(height)
    this.#phase =
      base.number <= number
        ? { kind: 'following', state: replayStart(content) }
        : { kind: 'unwound', to: record, partials }
    current.tellUnwound(removed)
  }

  /** The next block opens, so that the store was unwound; it must not have grown again. */
  #resume({ to, partials }: Extract<Phase, { kind: 'unwound' }>, sequence: number): ReplayState {
    const { chain, cache } = this.#parts
    const base = chain.snapshot()
    if (base.number !== to.number || base.blockHash(to.number) !== to.hash) {
      base.release()
      throw new ReaderError(`blocks above ${to.number} were taken back, and the store has others by now`)
    }
    const baseTrie = openStateTrie(base.header(base.number)!.stateRoot, base.trieNodes, cache)
    return replayStart({ sequence, base, baseTrie, recent: [], pending: undefined, partials })
  }

  #wake(): void {
    if (this.#parts.current.isShown) this.#onShown()
    for (const [sequence, waiting] of this.#waiting) {
      if (sequence > this.#sequence) continue
      this.#waiting.delete(sequence)
      for (const resolve of waiting) resolve()
    }
  }
}
