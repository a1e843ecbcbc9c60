import type { Bytes } from '../../primitives/hex.ts'

/**
 * Where trie nodes are that are not in memory. A key is the path of a node: of the account trie, its nibbles, one per
 * byte; of the storage trie of an account, the byte 0x10, the keccak-256 of the address and then its nibbles.
 */
export interface TrieNodeSource {
  /** The RLP of the node; nodes embedded in their parent have none of their own. */
  node(key: Bytes): Bytes | undefined
}

/** What a block changed among the nodes on disk. Prefixes first, then deletes and puts, which do not meet. */
export interface TrieNodeWrites {
  readonly puts: Iterable<readonly [key: Bytes, node: Bytes]>
  /** Nodes whose path leads nowhere any more. */
  readonly deletes: readonly Bytes[]
  /** All nodes whose key begins so: the storage trie of an account that lost all of it. */
  readonly deletedPrefixes: readonly Bytes[]
}
