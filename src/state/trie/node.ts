import { EMPTY_TRIE_ROOT } from '../../chain/constants.ts'
import { type Bytes, bytesToHex, type Hash } from '../../primitives/hex.ts'
import { keccak256 } from '../../primitives/keccak.ts'
import { decodeRlp, encodeRlp } from '../../primitives/rlp.ts'
import { encodeBranch, HASH_LENGTH, type NodeReference } from './branch-encoding.ts'
import { encodeLeafIn } from './leaf-encoding.ts'
import { compactPath, type Nibbles } from './nibbles.ts'

/**
 * A node of a Merkle-Patricia trie (Yellow Paper, appendix D). Immutable except for cached encodings and hashes. No key
 * may be a prefix of another, so branches hold no values: true for hashed keys, which have one length, and for
 * RLP-encoded indexes.
 *
 * A node belongs to one path: moving it creates a new node.
 */
export type TrieNode<V> = PresentNode<V> | Unresolved

/** A node that is in memory. */
export type PresentNode<V> = Leaf<V> | Extension<V> | Branch<V>

interface Versioned {
  /** Version of the trie that created it; 0 for a node that was read (see TrieContext). */
  readonly version: number
}

/**
 * A leaf does not keep its reference, of which there would be as many as values: the branch above has it in its
 * encoding.
 */
export interface Leaf<V> extends Versioned {
  readonly kind: 'leaf'
  /** The rest of the key. */
  readonly path: Nibbles
  readonly value: V
}

export interface Extension<V> extends Versioned {
  readonly kind: 'extension'
  /** At least one nibble. */
  readonly path: Nibbles
  /** A branch. */
  readonly child: TrieNode<V>
}

export interface Branch<V> extends Versioned {
  readonly kind: 'branch'
  /** 16 children, at least two of them present. A child that is undefined and not stale is described by `encoding`. */
  readonly children: readonly (TrieNode<V> | undefined)[]
  /** RLP of this branch, or of the branch that it derives from; `stale` says which children differ. */
  encoding: Bytes | undefined
  /** Bit n is set if child n differs from the one in `encoding`. */
  stale: number
}

/** A node that is stored under its path. */
export interface Unresolved extends Versioned {
  readonly kind: 'unresolved'
  /** A hash. */
  readonly reference: NodeReference
}

const ALL_STALE = 0xffff

/** Encodes the value of a leaf. */
export type ValueEncoder<V> = (value: V) => Bytes

export function leafNode<V>(path: Nibbles, value: V, version: number): Leaf<V> {
  return { kind: 'leaf', path, value, version }
}

export function branchNode<V>(children: readonly (TrieNode<V> | undefined)[], version: number): Branch<V> {
  return { kind: 'branch', children, encoding: undefined, stale: ALL_STALE, version }
}

export function unresolvedNode(reference: NodeReference): Unresolved {
  return { kind: 'unresolved', reference, version: 0 }
}

/** `before` with other children; bit n of `replaced` is set if child n changed. */
export function branchAfter<V>(
  before: Branch<V>,
  children: readonly (TrieNode<V> | undefined)[],
  replaced: number,
  version: number,
): Branch<V> {
  return { kind: 'branch', children, encoding: before.encoding, stale: before.stale | replaced, version }
}

/**
 * `node` behind `path`; leaves and extensions absorb the path, since two must not follow each other. An unresolved node
 * is a branch.
 */
export function prefixed<V>(path: Nibbles, node: TrieNode<V>, version: number): TrieNode<V> {
  if (path === '') return node
  switch (node.kind) {
    case 'leaf':
      return leafNode(path + node.path, node.value, version)
    case 'extension':
      return { kind: 'extension', path: path + node.path, child: node.child, version }
    case 'branch':
    case 'unresolved':
      return { kind: 'extension', path, child: node, version }
  }
}

/** Hash of the trie below `node`. Cached encodings of branches are reused. */
export function rootHash<V>(node: TrieNode<V> | undefined, encode: ValueEncoder<V>): Hash {
  return node === undefined ? EMPTY_TRIE_ROOT : (bytesToHex(rootReference(node, encode)) as Hash)
}

/** The root hash in bytes: the root is hashed whatever its size, while a parent would embed a short node. */
export function rootReference<V>(node: TrieNode<V>, encode: ValueEncoder<V>): NodeReference {
  return node.kind === 'unresolved' ? node.reference : keccak256(encodeNode(node, encode))
}

/** The RLP of a node: for Merkle proofs, hashing and storage. */
export function encodeNode<V>(node: PresentNode<V>, encode: ValueEncoder<V>): Bytes {
  switch (node.kind) {
    case 'leaf':
      return Buffer.from(encodeLeafIn(node.path, encode(node.value)))
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

/** A parent's reference to this node. */
export function nodeReference<V>(node: TrieNode<V>, encode: ValueEncoder<V>): NodeReference {
  if (node.kind === 'unresolved') return node.reference
  if (node.kind !== 'leaf') {
    const encoded = encodeNode(node, encode)
    return encoded.length < HASH_LENGTH ? encoded : keccak256(encoded)
  }
  const encoded = encodeLeafIn(node.path, encode(node.value))
  return encoded.length < HASH_LENGTH ? Buffer.from(encoded) : keccak256(encoded)
}

function staleReferences<V>(
  { children, stale }: Branch<V>,
  encode: ValueEncoder<V>,
): (NodeReference | null | undefined)[] {
  const references = NOT_REPLACED.slice()
  for (let index = 0; index < 16; index++) {
    if ((stale & (1 << index)) === 0) continue
    const child = children[index]
    references[index] = child === undefined ? null : nodeReference(child, encode)
  }
  return references
}

const NOT_REPLACED: readonly (NodeReference | null | undefined)[] = new Array(16).fill(undefined)
