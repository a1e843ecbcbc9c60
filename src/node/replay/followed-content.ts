import type { ChainStore } from '../../state/chain-store/chain-store.ts'
import type { FlashblockRecord } from '../../state/record.ts'
import type { BuiltBlock } from './head.ts'
import { type HeadContent, withBase, withFlashblock, withSeal } from './head-transitions.ts'
import { extendBlock, RecoveryError } from './recovery.ts'

/** What is above the store of a node that is followed; between a seal and the opening that follows it no block is open. */
export type FollowedContent = Omit<HeadContent, 'pending'> & { readonly pending: BuiltBlock | undefined }

/**
 * With one more flashblock: applied, never executed (design claim 3). Its state root is compared.
 *
 * @throws RecoveryError when it does not follow what is there
 */
export function withFlashblockRecord(
  content: FollowedContent,
  record: FlashblockRecord,
  sequence: number,
): FollowedContent {
  const { pending } = content
  if (record.index > 0) {
    if (pending === undefined) return { ...content, sequence }
    return withFlashblock({ ...content, pending }, extendBlock(pending, record, pending.trie), sequence)
  }
  // It began so late that the store had the block already.
  if (pending === undefined && record.header.number <= content.base.number) return { ...content, sequence }
  const below = pending ?? content.recent.at(-1)
  const parentHash = below?.block.hash ?? content.base.blockHash(content.base.number)
  if (record.header.parentHash !== parentHash) {
    throw new RecoveryError(`record ${sequence} opens a block on ${record.header.parentHash}, not on ${parentHash}`)
  }
  const opened = extendBlock(undefined, record, below?.trie ?? content.baseTrie)
  if (pending !== undefined) return withSeal({ ...content, pending }, opened, sequence)
  return { ...content, sequence, pending: opened, partials: [new Map(), ...content.partials] }
}

/**
 * Upon what the store of the followed node holds by now: blocks that reached it need not be in memory. The snapshot of
 * before is the caller's to release where there is another one.
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
  // A store that was unwound and grew again is another chain's.
  if (stored === undefined || stored.block.hash !== base.blockHash(base.number)) {
    base.release()
    return content
  }
  return withBase(content, base, stored.trie.withSource(base.trieNodes))
}
