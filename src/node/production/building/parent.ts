import type { Block } from '../../../chain/block/block.ts'
import type { OpenBlock } from '../../../engine/block/build-block.ts'
import type { Snapshot } from '../../../state/snapshot.ts'
import type { StateReader } from '../../../state/state-reader.ts'
import type { StateTrie } from '../../../state/trie/state-trie.ts'
import { trieAfter } from '../../machine/apply-record.ts'
import type { PendingAlterations } from '../../machine/followed-content.ts'
import type { Alterations, BuiltBlock } from '../../machine/head.ts'
import { type HeadContent, leavesState, stateAbove } from '../../machine/head-transitions.ts'
import { diffsOfBlock, type LayerDiff, preludeDiffs } from '../../tries/layer-diff.ts'

/** A sealed block to build on. */
export interface Parent {
  readonly block: Block
  readonly state: StateReader
  readonly trie: StateTrie
  /** The snapshot of `state` and `trie`; retained while a block is built on them. */
  readonly snapshot: Pick<Snapshot, 'retain' | 'release'>
  /** Blocks above the snapshot, oldest first. */
  readonly above: readonly Pick<BuiltBlock, 'block' | 'layers' | 'prelude'>[]
  /** Alterations of the block, included in `state` and `trie`. */
  readonly prelude: Alterations | undefined
}

/** An open block to resume, with its state. */
export interface Resumable extends OpenBlock {
  /** State after its newest flashblock. */
  readonly state: StateReader
  readonly trie: StateTrie
  readonly snapshot: Parent['snapshot']
  readonly above: Parent['above']
}

/** Parent of the next block when `blocks` follow the snapshot. Its state includes the alterations. */
export function parentOf(
  { base, baseTrie }: Pick<HeadContent, 'base' | 'baseTrie'>,
  blocks: readonly BuiltBlock[],
  altered?: PendingAlterations,
): Parent {
  const newest = blocks.at(-1)
  const below = newest?.trie.withSource(base.trieNodes, baseTrie) ?? baseTrie
  const prelude = altered && {
    diffs: altered.diffs,
    trie: trieAfter(altered, below).withSource(base.trieNodes, baseTrie),
  }
  return {
    block: newest?.block ?? base.block(base.number)!,
    state: stateAbove(base, blocks, prelude),
    trie: prelude?.trie ?? below,
    snapshot: base,
    above: blocks,
    prelude,
  }
}

/** The state diffs of the blocks above the snapshot and of the alterations, oldest first. */
export function diffsOf({
  above,
  block,
  prelude,
}: Pick<Parent, 'above' | 'block'> & Partial<Parent>): readonly LayerDiff[] {
  // Thousands of blocks that leave the state as it is may be mined together.
  return [
    ...above.filter((built) => !leavesState(built)).flatMap(diffsOfBlock),
    ...preludeDiffs(block.header.number + 1, prelude),
  ]
}
