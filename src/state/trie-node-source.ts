import type { Bytes } from '../primitives/hex.ts'

/**
 * Source of trie nodes that are not in memory. A key is the path of a node: in the account trie its nibbles, one per
 * byte; in a storage trie the byte 0x10, the keccak-256 of the address, and its nibbles.
 */
export interface TrieNodeSource {
  /** The RLP of the node; nodes embedded in their parent are not stored. */
  node(key: Bytes): Bytes | undefined
  /**
   * Present where nodes may be missing (fork mode). Called when the removal of a key leaves a branch with one child
   * that is missing: the branch stays, and the root is not exact. Absent: a missing node is damage.
   */
  readonly onGap?: (() => void) | undefined
}

/** Changes of a block to the stored nodes. Prefixes first; deletes and puts are disjoint. */
export interface TrieNodeWrites {
  readonly puts: Iterable<readonly [key: Bytes, node: Bytes]>
  /** Nodes that are no longer reachable. */
  readonly deletes: readonly Bytes[]
  /** All nodes with this key prefix: the storage trie of an account that lost all of it. */
  readonly deletedPrefixes: readonly Bytes[]
}
