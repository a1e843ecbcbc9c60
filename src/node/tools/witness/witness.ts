import type { Header } from '../../../chain/block/header.ts'
import type { ChainConfig } from '../../../chain/forks/chain-config.ts'
import type { BlockChoices } from '../../../engine/block/block-attributes.ts'
import type { Bytes, Hash } from '../../../primitives/hex.ts'

/** A block with the part of the state that it touches. */
export interface Witness {
  readonly config: ChainConfig
  readonly parent: { readonly header: Header; readonly hash: Hash }
  /** Hashes of earlier blocks by number. Default: none is known. */
  readonly ancestors?: ReadonlyMap<number, Hash>
  readonly choices: BlockChoices
  /** EIP-2718 bytes in the order of execution. */
  readonly transactions: readonly Bytes[]
  /** Codes of contracts and nodes of the state tries, by hash. */
  readonly codes: ReadonlyMap<Hash, Bytes>
  readonly nodes: ReadonlyMap<Hash, Bytes>
  readonly expected: {
    readonly hash: Hash
    readonly header: Header
    /** Consensus encoding of each receipt. */
    readonly receipts: readonly Bytes[]
  }
}
