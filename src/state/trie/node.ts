import { EMPTY_TRIE_ROOT } from '../../chain/constants.ts'
import { type Bytes, bytesToHex, EMPTY_BYTES, type Hash } from '../../primitives/hex.ts'
import { keccak256, keccakHash } from '../../primitives/keccak.ts'
import { encodeRlp, type RlpItem } from '../../primitives/rlp.ts'
import { compactPath, type Nibbles } from './nibbles.ts'

/**
 * A node of a Merkle-Patricia trie (yellow paper, appendix D). Immutable but for `reference`, which is filled in when
 * it is first asked for. No key may be the prefix of another, so branches hold no values: true of hashed keys, which
 * have one length, and of RLP-encoded indexes. Reading and updating dispatch on `kind` alone: a node that is still on
 * disk can become a further kind.
 */
export type TrieNode<V> = Leaf<V> | Extension<V> | Branch<V>

interface Referenced {
  /** How the parent names this node; `undefined` until asked for. */
  reference: RlpItem | undefined
}

export interface Leaf<V> extends Referenced {
  readonly kind: 'leaf'
  /** What remains of the key. */
  readonly path: Nibbles
  readonly value: V
}

export interface Extension<V> extends Referenced {
  readonly kind: 'extension'
  /** At least one nibble. */
  readonly path: Nibbles
  readonly child: TrieNode<V>
}

export interface Branch<V> extends Referenced {
  readonly kind: 'branch'
  /** 16, of which at least two are there. */
  readonly children: readonly (TrieNode<V> | undefined)[]
}

/** The bytes of a value, as its leaf holds them. */
export type ValueEncoder<V> = (value: V) => Bytes

export function leafNode<V>(path: Nibbles, value: V): Leaf<V> {
  return { kind: 'leaf', path, value, reference: undefined }
}

export function branchNode<V>(children: readonly (TrieNode<V> | undefined)[]): Branch<V> {
  return { kind: 'branch', children, reference: undefined }
}

/** `node` reached through `path`; leaves and extensions take the path in, as two may not follow one another. */
export function prefixed<V>(path: Nibbles, node: TrieNode<V>): TrieNode<V> {
  if (path === '') return node
  switch (node.kind) {
    case 'leaf':
      return leafNode(path + node.path, node.value)
    case 'extension':
      return { kind: 'extension', path: path + node.path, child: node.child, reference: undefined }
    case 'branch':
      return { kind: 'extension', path, child: node, reference: undefined }
  }
}

/** Hash of the trie below `node`. Nodes that were hashed before are not hashed again. */
export function rootHash<V>(node: TrieNode<V> | undefined, encode: ValueEncoder<V>): Hash {
  if (node === undefined) return EMPTY_TRIE_ROOT
  const reference = nodeReference(node, encode)
  // A parent would embed a short node; the root has no parent and is hashed whatever its size.
  return reference instanceof Uint8Array ? (bytesToHex(reference) as Hash) : keccakHash(encodeRlp(reference))
}

/** What RLP encodes for this node: the answer of a Merkle proof, and what is hashed. */
export function nodeItem<V>(node: TrieNode<V>, encode: ValueEncoder<V>): RlpItem {
  switch (node.kind) {
    case 'leaf':
      return [compactPath(node.path, true), encode(node.value)]
    case 'extension':
      return [compactPath(node.path, false), nodeReference(node.child, encode)]
    case 'branch': {
      const items: RlpItem[] = node.children.map((child) =>
        child === undefined ? EMPTY_BYTES : nodeReference(child, encode),
      )
      items.push(EMPTY_BYTES)
      return items
    }
  }
}

/** The hash of the node's RLP, or the node itself where that is shorter than a hash. */
function nodeReference<V>(node: TrieNode<V>, encode: ValueEncoder<V>): RlpItem {
  if (node.reference !== undefined) return node.reference
  const item = nodeItem(node, encode)
  const encoded = encodeRlp(item)
  node.reference = encoded.length < 32 ? item : keccak256(encoded)
  return node.reference
}
