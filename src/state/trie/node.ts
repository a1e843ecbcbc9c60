import { EMPTY_TRIE_ROOT } from '../../chain/constants.ts'
import { type Bytes, bytesToHex, type Hash } from '../../primitives/hex.ts'
import { keccak256, keccakHash } from '../../primitives/keccak.ts'
import { decodeRlp, encodeRlp, encodeRlpIn, type RlpItem } from '../../primitives/rlp.ts'
import { encodeBranch, HASH_LENGTH, type NodeReference } from './branch-encoding.ts'
import { compactPath, type Nibbles } from './nibbles.ts'

/**
 * A node of a Merkle-Patricia trie (yellow paper, appendix D). Immutable but for what hashing leaves behind, which is
 * filled in when it is first asked for. No key may be the prefix of another, so branches hold no values: true of hashed
 * keys, which have one length, and of RLP-encoded indexes. Reading and updating dispatch on `kind` alone: a node that
 * is still on disk can become a further kind.
 */
export type TrieNode<V> = Leaf<V> | Extension<V> | Branch<V>

/** Its reference is not kept: the branch above keeps it in its encoding, and there are as many leaves as values. */
export interface Leaf<V> {
  readonly kind: 'leaf'
  /** What remains of the key. */
  readonly path: Nibbles
  readonly value: V
}

export interface Extension<V> {
  readonly kind: 'extension'
  /** At least one nibble. */
  readonly path: Nibbles
  readonly child: TrieNode<V>
  /** `undefined` until asked for. */
  reference: NodeReference | undefined
}

export interface Branch<V> {
  readonly kind: 'branch'
  /** 16, of which at least two are there. */
  readonly children: readonly (TrieNode<V> | undefined)[]
  /** RLP of this branch, or of the one that it came from: then `stale` says which children are others. */
  encoding: Bytes | undefined
  /** Bit n is set while child n is not the one in `encoding`. */
  stale: number
  /** `undefined` until asked for. */
  reference: NodeReference | undefined
}

const ALL_STALE = 0xffff

/** For the RLP of leaves, which are hashed and forgotten; an account's takes at most 150 bytes. */
const leafSpace = new Uint8Array(256)

/** The bytes of a value, as its leaf holds them. */
export type ValueEncoder<V> = (value: V) => Bytes

export function leafNode<V>(path: Nibbles, value: V): Leaf<V> {
  return { kind: 'leaf', path, value }
}

export function branchNode<V>(children: readonly (TrieNode<V> | undefined)[]): Branch<V> {
  return { kind: 'branch', children, encoding: undefined, stale: ALL_STALE, reference: undefined }
}

/** `before` with other children; bit n of `replaced` is set where child n is not the same. */
export function branchAfter<V>(
  before: Branch<V>,
  children: readonly (TrieNode<V> | undefined)[],
  replaced: number,
): Branch<V> {
  return { kind: 'branch', children, encoding: before.encoding, stale: before.stale | replaced, reference: undefined }
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

/** Hash of the trie below `node`. Branches and extensions that were hashed before are not hashed again. */
export function rootHash<V>(node: TrieNode<V> | undefined, encode: ValueEncoder<V>): Hash {
  if (node === undefined) return EMPTY_TRIE_ROOT
  const reference = nodeReference(node, encode)
  // A parent would embed a short node; the root has no parent and is hashed whatever its size.
  return reference.length === HASH_LENGTH ? (bytesToHex(reference) as Hash) : keccakHash(reference)
}

/** The RLP of this node: the answer of a Merkle proof, and what is hashed. */
export function encodeNode<V>(node: TrieNode<V>, encode: ValueEncoder<V>): Bytes {
  switch (node.kind) {
    case 'leaf':
      return encodeRlp(leafItem(node, encode))
    case 'extension': {
      const child = nodeReference(node.child, encode)
      return encodeRlp([compactPath(node.path, false), child.length === HASH_LENGTH ? child : decodeRlp(child)])
    }
    case 'branch': {
      if (node.encoding !== undefined && node.stale === 0) return node.encoding
      node.encoding = encodeBranch(node.encoding, staleReferences(node, encode))
      node.stale = 0
      return node.encoding
    }
  }
}

function staleReferences<V>(
  { children, stale }: Branch<V>,
  encode: ValueEncoder<V>,
): (NodeReference | null | undefined)[] {
  const references = new Array<NodeReference | null | undefined>(children.length).fill(undefined)
  for (let index = 0; index < children.length; index++) {
    if ((stale & (1 << index)) === 0) continue
    const child = children[index]
    references[index] = child === undefined ? null : nodeReference(child, encode)
  }
  return references
}

function leafItem<V>({ path, value }: Leaf<V>, encode: ValueEncoder<V>): RlpItem {
  return [compactPath(path, true), encode(value)]
}

function nodeReference<V>(node: TrieNode<V>, encode: ValueEncoder<V>): NodeReference {
  if (node.kind === 'leaf') {
    const encoded = encodeRlpIn(leafSpace, leafItem(node, encode))
    return encoded.length < HASH_LENGTH ? encoded.slice() : keccak256(encoded)
  }
  if (node.reference === undefined) {
    const encoded = encodeNode(node, encode)
    node.reference = encoded.length < HASH_LENGTH ? encoded : keccak256(encoded)
  }
  return node.reference
}
