import type { Block } from '../../chain/block/block.ts'
import type { Header } from '../../chain/block/header.ts'
import type { Receipt } from '../../chain/receipt/receipt.ts'
import type { Hash } from '../../primitives/hex.ts'
import type { Layer } from '../../state/layer.ts'
import type { Snapshot } from '../../state/snapshot.ts'
import type { StateDiff } from '../../state/state-diff.ts'
import type { StateReader } from '../../state/state-reader.ts'
import type { StateTrie } from '../../state/trie/state-trie.ts'

/** State changes from outside (development nodes) between two blocks. */
export interface Alterations {
  /** Consecutive, oldest first; not empty. */
  readonly diffs: readonly StateDiff[]
  /** State trie after them. */
  readonly trie: StateTrie
}

/** A block built from its flashblocks so far, one layer each. */
export interface BuiltBlock {
  /** State changes from outside between the parent and this block; normally none. */
  readonly prelude: Alterations | undefined
  /** The block so far; the hash of the open block is that of its partial header. */
  readonly block: Block
  readonly receipts: readonly Receipt[]
  readonly layers: readonly Layer[]
  /** State trie after the last layer; unchanged nodes are read from `base`. */
  readonly trie: StateTrie
}

/** A sealed or open block above the base snapshot. */
export interface LayeredBlock extends BuiltBlock {
  /** State after the last layer, read through the snapshot and all layers above it. */
  readonly state: StateReader
}

/** The open block; initially an empty successor of latest. */
export interface PendingBlock extends LayeredBlock {
  /** Index of its newest flashblock. */
  readonly index: number
}

/** Heights of the three sealed tags. */
export interface SealedTip {
  readonly latest: number
  readonly safe: number
  readonly finalized: number
}

/** A block as of an earlier flashblock: its header and number of transactions then. */
export interface PartialBlock {
  readonly header: Header
  readonly hash: Hash
  readonly transactionCount: number
  /** Index of its newest flashblock: empty flashblocks leave the hash as it is. */
  readonly index: number
  /** Bytes of its RLP. */
  readonly size: number
}

/** Immutable. Swapped atomically with every flashblock and seal. */
export interface Head {
  /**
   * Number of the newest record that changed what the head contains. A record that does so must set it: otherwise the
   * next change of the base puts back the content that was shown before. Increases, also across restarts.
   */
  readonly sequence: number
  readonly base: Snapshot
  /** The state trie of `base`, read from it. */
  readonly baseTrie: StateTrie
  /** State after the block of `base`, with its alterations. */
  readonly baseState: StateReader
  /** Sealed blocks above `base`, oldest first. */
  readonly recent: readonly LayeredBlock[]
  readonly pending: PendingBlock
  readonly sealed: SealedTip
  /** Superseded partial hashes of the open block and of the newest sealed ones: one map per block, newest first. */
  readonly partials: readonly ReadonlyMap<Hash, PartialBlock>[]
}
