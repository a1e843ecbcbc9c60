import type { ChainStore } from '../../state/chain-store/chain-store.ts'
import type { StateTrie } from '../../state/trie/state-trie.ts'
import type { Alterations, BuiltBlock } from './head.ts'
import { type HeadContent, withBase } from './head-transitions.ts'

/** Alterations of the newest sealed block while no block is open. */
export interface PendingAlterations {
  readonly diffs: Alterations['diffs']
  /** State trie after them; `undefined`: not computed yet. */
  readonly trie: StateTrie | undefined
}

/** The chain above a store. No block is open after an unwind or alteration, and before the first flashblock. */
export type FollowedContent = Omit<HeadContent, 'pending'> & {
  readonly pending: BuiltBlock | undefined
  /** Present only while no block is open: it becomes the prelude of the next one. */
  readonly altered?: PendingAlterations | undefined
}

/**
 * Moves the content to the newest block of the store, so that stored blocks leave the memory. The caller releases the
 * previous snapshot if it is another one.
 */
export function onNewestBase<Content extends FollowedContent>(
  content: Content,
  chain: Pick<ChainStore, 'snapshot' | 'newest'>,
): Content {
  const latest = content.recent.at(-1)?.block.header.number
  const newest = chain.newest()!.number
  if (newest <= content.base.number || latest === undefined || newest > latest) return content
  const base = chain.snapshot()
  const stored = content.recent.find(({ block }) => block.header.number === base.number)
  // The store was unwound and extended: its newest block is on another chain.
  if (stored === undefined || stored.block.hash !== base.blockHash(base.number)) {
    base.release()
    return content
  }
  return withBase(content, base, stored.trie.withSource(base.trieNodes))
}
