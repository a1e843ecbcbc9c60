import type { Block } from '../../chain/block/block.ts'
import type { Header } from '../../chain/block/header.ts'
import type { Receipt } from '../../chain/receipt/receipt.ts'
import type { Hash } from '../../primitives/hex.ts'
import type { Layer } from '../../state/layer.ts'
import type { Snapshot } from '../../state/snapshot.ts'
import type { StateReader } from '../../state/state-reader.ts'
import type { StateTrie } from '../../state/trie/state-trie.ts'

/** A block as the flashblocks so far made it, one layer each. */
export interface BuiltBlock {
  /** Everything so far; for the open block with the hash of its partial header. */
  readonly block: Block
  readonly receipts: readonly Receipt[]
  readonly layers: readonly Layer[]
  /** The state trie after the last layer; what it did not change is read from `base`. */
  readonly trie: StateTrie
}

/** A block that the snapshot below does not hold yet, sealed or open. */
export interface LayeredBlock extends BuiltBlock {
  /** After the last layer, read through the snapshot and all layers above it. */
  readonly state: StateReader
}

/** The open block; at worst an empty successor of latest. */
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

/** A block as it stood at an earlier flashblock: its header then, and how many of its transactions it had. */
export interface PartialBlock {
  readonly header: Header
  readonly hash: Hash
  readonly transactionCount: number
  /** Bytes of its RLP. */
  readonly size: number
}

/** Immutable. Swapped atomically with every flashblock and seal. */
export interface Head {
  /** The number of the newest record that it shows; grows, also across restarts. */
  readonly sequence: number
  readonly base: Snapshot
  /** The state trie of `base`, read from it. */
  readonly baseTrie: StateTrie
  /** Sealed blocks above `base`, oldest first. */
  readonly recent: readonly LayeredBlock[]
  readonly pending: PendingBlock
  readonly sealed: SealedTip
  /** Superseded partial hashes of the open block and of the newest sealed ones, a map per block, newest first. */
  readonly partials: readonly ReadonlyMap<Hash, PartialBlock>[]
}
