import type { ChainStore } from '../../state/chain-store/chain-store.ts'
import type { Snapshot } from '../../state/snapshot.ts'
import type { TrieNodeCache } from '../../state/trie/node-cache.ts'
import { openStateTrie } from '../../state/trie/state-trie.ts'
import type { NumberedRecord } from '../log/journal.ts'
import { applyRecord } from '../machine/apply-record.ts'
import { type ChainState, chainState } from '../machine/chain-state.ts'
import type { Finality } from '../machine/finality.ts'
import { onNewestBase } from '../machine/followed-content.ts'
import type { Head } from '../machine/head.ts'
import { assembleHead } from '../machine/head-transitions.ts'
import { recover } from '../machine/recovery.ts'

export interface HeadFollowerOptions {
  /** Depth of the finalized block. */
  readonly finality: Finality
  /** Number of heads that stay available, including the newest. */
  readonly retainedHeads: number
}

export interface HeadFollowerDeps {
  /** The followed node's store; read only. */
  readonly chain: Pick<ChainStore, 'snapshot' | 'newest'>
  readonly cache: TrieNodeCache
  /** Records `from` to `to`, inclusive. */
  readonly records: (from: number, to: number) => Iterable<NumberedRecord>
}

/**
 * Rebuilds the heads of a node in another thread or process from its store and records, without executing anything.
 * Every state root is verified.
 *
 * @example follower.start({ from, to }); follower.advance(sequence); follower.head(sequence)
 */
export class HeadFollower {
  readonly #options: HeadFollowerOptions
  readonly #deps: HeadFollowerDeps
  /** By sequence number, oldest first; each retains its base. */
  readonly #heads = new Map<number, Head>()
  #state: ChainState | undefined
  #sequence = 0

  constructor(options: HeadFollowerOptions, deps: HeadFollowerDeps) {
    this.#options = options
    this.#deps = deps
  }

  /**
   * Starts from the stored blocks and the records up to `to`.
   *
   * @param from the first flashblock of a block that may not be in the store yet
   * @returns false when blocks were unwound since: the follower must be started again
   * @throws RecoveryError, RecordError or StorageError when they contradict each other
   */
  start({ from, to }: { readonly from: number; readonly to: number }): boolean {
    this.#drop()
    const base = this.#deps.chain.snapshot()
    try {
      this.#begin(base, { from, to })
      return true
    } catch (error) {
      base.release()
      if (this.#isUnwoundAfter(to)) return false
      throw error
    }
  }

  /**
   * Applies the records up to an announced one; several may be announced at once.
   *
   * @returns false when blocks were unwound: the follower must be started again
   */
  advance(to: number): boolean {
    if (this.#state === undefined) return false
    if (to <= this.#sequence) return true
    try {
      for (const { sequence, record } of this.#deps.records(this.#sequence + 1, to)) {
        if (record.kind === 'unwind') return false
        this.#state = applyRecord(this.#state, { sequence, record }).state
        this.#sequence = sequence
      }
    } catch (error) {
      if (this.#isUnwoundAfter(this.#sequence)) return false
      throw error
    }
    const before = this.#state.content
    const content = onNewestBase(before, this.#deps.chain)
    if (content.base !== before.base) before.base.release()
    this.#state = { ...this.#state, content }
    this.#show()
    return true
  }

  /** The head as of a record, if it was announced recently. */
  head(sequence: number): Head | undefined {
    return this.#heads.get(sequence)
  }

  close(): void {
    this.#drop()
  }

  #begin(base: Snapshot, { from, to }: { readonly from: number; readonly to: number }): void {
    const { cache, records } = this.#deps
    // Not the whole block, whose body may be damaged.
    const header = base.header(base.number)!
    const hash = base.blockHash(base.number)!
    const baseTrie = openStateTrie(header.stateRoot, base.trieNodes, cache)
    const { recent, open, altered, partials } = recover(
      { number: base.number, hash, trie: baseTrie },
      records(from, to),
    )
    this.#sequence = to
    const content = { sequence: to, base, baseTrie, recent, pending: open, altered, partials }
    this.#state = chainState(content, { isOwn: true })
    this.#show()
  }

  /**
   * Whether the log has an unwind after a record. It is written before the store is unwound: a follower that is late
   * may find a store of the replacing blocks, on which the records before the unwind do not build.
   */
  #isUnwoundAfter(sequence: number): boolean {
    for (const { record } of this.#deps.records(sequence + 1, Number.MAX_SAFE_INTEGER)) {
      if (record.kind === 'unwind') return true
    }
    return false
  }

  #show(): void {
    const { content } = this.#state!
    const { pending } = content
    if (pending === undefined) return
    const head = assembleHead({ ...content, pending }, this.#options.finality)
    // The tries of the head read stored nodes from the base, so that those in memory can be released.
    this.#state = { ...this.#state!, content: { ...content, recent: head.recent, pending: head.pending } }
    head.base.retain()
    this.#heads.set(head.sequence, head)
    for (const [sequence, oldest] of this.#heads) {
      if (this.#heads.size <= this.#options.retainedHeads) break
      this.#heads.delete(sequence)
      oldest.base.release()
    }
  }

  #drop(): void {
    for (const { base } of this.#heads.values()) base.release()
    this.#heads.clear()
    this.#state?.content.base.release()
    this.#state = undefined
  }
}
