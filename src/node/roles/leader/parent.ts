import type { Block } from '../../../chain/block/block.ts'
import type { Snapshot } from '../../../state/snapshot.ts'
import type { StateReader } from '../../../state/state-reader.ts'
import type { StateTrie } from '../../../state/trie/state-trie.ts'
import type { BuiltBlock } from '../../replay/head.ts'
import { type HeadContent, stateAbove } from '../../replay/head-transitions.ts'

/** A sealed block to build on. */
export interface Parent {
  readonly block: Block
  readonly state: StateReader
  readonly trie: StateTrie
  /** The snapshot of `state` and `trie`; retained while a block is built on them. */
  readonly snapshot: Pick<Snapshot, 'retain' | 'release'>
  /** Blocks above the snapshot, oldest first. */
  readonly above: readonly Pick<BuiltBlock, 'layers'>[]
}

/** Parent of the next block when `blocks` follow the snapshot. */
export function parentOf(
  { base, baseTrie }: Pick<HeadContent, 'base' | 'baseTrie'>,
  blocks: readonly BuiltBlock[],
): Parent {
  const { block, trie } = blocks.at(-1)!
  const state = stateAbove(base, blocks)
  return { block, state, trie: trie.withSource(base.trieNodes, baseTrie), snapshot: base, above: blocks }
}

/** The parent if no block is above the store. */
export function storedParent(base: Snapshot, baseTrie: StateTrie): Parent {
  return { block: base.block(base.number)!, state: stateAbove(base, []), trie: baseTrie, snapshot: base, above: [] }
}
