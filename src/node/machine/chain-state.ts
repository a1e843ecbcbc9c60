import type { BuiltFlashblock } from '../../engine/block/build-block.ts'
import type { Snapshot } from '../../state/snapshot.ts'
import type { StateTrie } from '../../state/trie/state-trie.ts'
import type { FollowedContent, PendingAlterations } from './followed-content.ts'
import type { BuiltBlock } from './head.ts'
import { withBase } from './head-transitions.ts'
import { type BlockRoots, emptyRoots, withAdded } from './root-check.ts'

/** The chain as of a record. Immutable. */
export interface ChainState {
  readonly content: FollowedContent
  /** Roots of the open block; `undefined`: the records are trusted, and transactions and receipts are not checked. */
  readonly roots: BlockRoots | undefined
  /** Whether a record has sealed the block of `content.pending`: the next flashblock opens its successor. */
  readonly isSealed: boolean
  /** Applied, not shown yet: the last flashblock and the seal of a block are shown with the opening of the next one. */
  readonly withheld: WithheldChanges
  /** A block that is stored already: only its partial hashes are collected. */
  readonly stored: UnappliedBlock | undefined
}

export interface WithheldChanges {
  readonly flashblocks: readonly BuiltFlashblock[]
  readonly sealed: readonly BuiltBlock[]
}

export type UnappliedBlock = Omit<BuiltBlock, 'trie' | 'prelude'>

export const NOTHING_WITHHELD: WithheldChanges = Object.freeze({ flashblocks: [], sealed: [] })

/**
 * The state from which the records after `content` are applied. No record has sealed its open block.
 *
 * @param isOwn this node wrote the records: their transactions and receipts are not checked against the header, and
 * they may begin below the newest stored block
 */
export function chainState(content: FollowedContent, { isOwn = false }: { readonly isOwn?: boolean } = {}): ChainState {
  const { pending } = content
  const { transactions } = pending?.block ?? { transactions: [] }
  const roots = isOwn ? undefined : withAdded(emptyRoots(), { transactions, receipts: pending?.receipts ?? [] })
  return { content, roots, isSealed: false, withheld: NOTHING_WITHHELD, stored: undefined }
}

/** The same chain on another snapshot of the store: of a newer block, or of the one to which the store was unwound. */
export function rebased(state: ChainState, base: Snapshot, baseTrie: StateTrie): ChainState {
  const content = withBase(state.content, base, baseTrie)
  // The next record continues the open block, and no head may show it before the snapshot below it is released.
  const pending = content.pending && {
    ...content.pending,
    trie: content.pending.trie.withSource(base.trieNodes, baseTrie),
  }
  return { ...state, content: { ...content, pending } }
}

/** The chain up to its newest sealed block. */
export interface SealedPart {
  /** Blocks above the base, oldest first. */
  readonly blocks: readonly BuiltBlock[]
  /** Alterations of the newest of them. */
  readonly altered: PendingAlterations | undefined
}

export function sealedPart({ content, isSealed }: Pick<ChainState, 'content' | 'isSealed'>): SealedPart {
  const { recent, pending, altered } = content
  if (isSealed && pending !== undefined) return { blocks: [...recent, pending], altered }
  return { blocks: recent, altered: altered ?? pending?.prelude }
}

/**
 * Whether the open block has all its flashblocks, so that the only record that can follow is its seal. The records of a
 * leader that was killed may end without the seal; the next leader appends it first.
 */
export function isComplete({ content, isSealed }: Pick<ChainState, 'content' | 'isSealed'>): boolean {
  return isSealed || content.pending?.layers.at(-1)?.isLast === true
}
