import type { Bytes, Hash } from '../../primitives/hex.ts'
import { rootHash, type TrieNode } from './node.ts'
import { indexKey } from './ordered-root.ts'
import { memoryContext } from './trie-context.ts'
import { update, valueChange } from './update.ts'

/** The trie of a list keyed by the RLP of each index: transactions, receipts, withdrawals. Immutable. */
export interface OrderedTrie {
  /** Number of items. */
  readonly size: number
  /** Computed once; hashes only what was appended since the trie that it derives from. */
  readonly root: Hash
  /** Items are encoded already, as RLP or as EIP-2718 envelopes. */
  append(items: readonly Bytes[]): OrderedTrie
}

/** @example emptyOrderedTrie().append(transactions.map(({ raw }) => raw)).root */
export function emptyOrderedTrie(): OrderedTrie {
  return new MerkleOrderedTrie(0, undefined)
}

const CONTEXT = memoryContext(itself)

class MerkleOrderedTrie implements OrderedTrie {
  readonly size: number
  readonly #node: TrieNode<Bytes> | undefined

  constructor(size: number, node: TrieNode<Bytes> | undefined) {
    this.size = size
    this.#node = node
  }

  get root(): Hash {
    return rootHash(this.#node, itself)
  }

  append(items: readonly Bytes[]): OrderedTrie {
    if (items.length === 0) return this
    const changes = items.map((value, offset) => valueChange(indexKey(this.size + offset), value))
    return new MerkleOrderedTrie(this.size + items.length, update(this.#node, changes, CONTEXT))
  }
}

function itself(item: Bytes): Bytes {
  return item
}
