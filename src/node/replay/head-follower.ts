import type { ChainStore } from '../../state/chain-store/chain-store.ts'
import type { TrieNodeCache } from '../../state/trie/node-cache.ts'
import { openStateTrie } from '../../state/trie/state-trie.ts'
import { type FollowedContent, onNewestBase, withFlashblockRecord } from './followed-content.ts'
import type { Head } from './head.ts'
import { assembleHead } from './head-transitions.ts'
import { type NumberedRecord, recover } from './recovery.ts'

export interface HeadFollowerOptions {
  /** Blocks between latest and finalized. */
  readonly finalityDepth: number
  /** Heads that can still be asked for, the newest included. */
  readonly keptHeads: number
}

export interface HeadFollowerParts {
  /** Of the node that is followed; only read. */
  readonly chain: Pick<ChainStore, 'snapshot' | 'newest'>
  readonly cache: TrieNodeCache
  /** The records from `from` to `to`, both included. */
  readonly records: (from: number, to: number) => Iterable<NumberedRecord>
}

/**
 * The heads of a node that runs elsewhere, rebuilt from its store and its records: applied, never executed (design
 * claim 3). Every state root is compared.
 *
 * @example follower.start({ from, to }); follower.advance(sequence); follower.head(sequence)
 */
export class HeadFollower {
  readonly #options: HeadFollowerOptions
  readonly #parts: HeadFollowerParts
  /** By sequence, oldest first; each retains its base. */
  readonly #heads = new Map<number, Head>()
  #content: FollowedContent | undefined
  #sequence = 0

  constructor(options: HeadFollowerOptions, parts: HeadFollowerParts) {
    this.#options = options
    this.#parts = parts
  }

  /**
   * Begins with what the store holds and the records that lead to `to`.
   *
   * @param from of the first flashblock of a block that may not be in the store yet
   * @throws RecoveryError, RecordError or StorageError when they contradict each other
   */
  start({ from, to }: { readonly from: number; readonly to: number }): void {
    this.#drop()
    const { chain, cache, records } = this.#parts
    const base = chain.snapshot()
    const { header, hash } = base.block(base.number)!
    const baseTrie = openStateTrie(header.stateRoot, base.trieNodes, cache)
    const { recent, open, partials } = recover({ number: base.number, hash, trie: baseTrie }, records(from, to))
    this.#sequence = to
    this.#content = { sequence: to, base, baseTrie, recent, pending: open, partials }
    this.#show()
  }

  /**
   * Goes on to a record that was announced. Records may be announced several at once.
   *
   * @returns false when blocks were taken back: `start` anew
   */
  advance(to: number): boolean {
    if (this.#content === undefined) return false
    if (to <= this.#sequence) return true
    for (const { sequence, record } of this.#parts.records(this.#sequence + 1, to)) {
      if (record.kind === 'unwind') return false
      this.#sequence = sequence
      if (record.kind === 'flashblock') this.#content = withFlashblockRecord(this.#content, record, sequence)
    }
    const before = this.#content
    this.#content = onNewestBase(before, this.#parts.chain)
    if (this.#content.base !== before.base) before.base.release()
    this.#show()
    return true
  }

  /** The head of a record that was announced lately. */
  head(sequence: number): Head | undefined {
    return this.#heads.get(sequence)
  }

  close(): void {
    this.#drop()
  }

  #show(): void {
    const content = this.#content!
    const { pending } = content
    if (pending === undefined) return
    const head = assembleHead({ ...content, pending }, this.#options.finalityDepth)
    // Its tries read what is stored from the base, and let go of what they had in memory.
    this.#content = { ...content, recent: head.recent, pending: head.pending }
    head.base.retain()
    this.#heads.set(head.sequence, head)
    for (const [sequence, oldest] of this.#heads) {
      if (this.#heads.size <= this.#options.keptHeads) break
      this.#heads.delete(sequence)
      oldest.base.release()
    }
  }

  #drop(): void {
    for (const { base } of this.#heads.values()) base.release()
    this.#heads.clear()
    this.#content?.base.release()
    this.#content = undefined
  }
}
