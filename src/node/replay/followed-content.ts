import type { ChainStore } from '../../state/chain-store/chain-store.ts'
import type { BuiltBlock } from './head.ts'
import { type HeadContent, withBase } from './head-transitions.ts'

/** The chain above a store. No block is open after an unwind, and before the first flashblock. */
export type FollowedContent = Omit<HeadContent, 'pending'> & { readonly pending: BuiltBlock | undefined }

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
