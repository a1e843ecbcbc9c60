import { EMPTY_TRIE_ROOT } from '../../chain/constants.ts'
import { type Bytes, bytesToHex, type Hash } from '../../primitives/hex.ts'
import { keccak256 } from '../../primitives/keccak.ts'
import { decodeRlp, encodeRlp } from '../../primitives/rlp.ts'
import { encodeBranch, HASH_LENGTH, type NodeReference } from './branch-encoding.ts'
import { encodeLeafIn } from './leaf-encoding.ts'
import { compactPath, type Nibbles } from './nibbles.ts'

/**
 * A node of a Merkle-Patricia trie (yellow paper, appendix D). Immutable but for what hashing leaves behind, which is
 * filled in when it is first asked for. No key may be the prefix of another, so branches hold no values: true of hashed
 * keys, which have one length, and of RLP-encoded indexes.
 *
 * A node is one object per place: whoever moves it to another path makes a new one.
 */
export type TrieNode<V> = PresentNode<V> | Unresolved

/** A node that is in memory. */
export type PresentNode<V> = Leaf<V> | Extension<V> | Branch<V>

interface Versioned {
  /** Of the trie that it was made for; 0: it was read (see TrieContext). */
  readonly version: number
}

/** Its reference is not kept: the branch above keeps it in its encoding, and there are as many leaves as values. */
export interface Leaf<V> extends Versioned {
  readonly kind: 'leaf'
  /** What remains of the key. */
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
  /** Of 16, of which at least two are there. One that is not here and not stale is what `encoding` says. */
  readonly children: readonly (TrieNode<V> | undefined)[]
  /** RLP of this branch, or of the one that it came from: then `stale` says which children are others. */
  encoding: Bytes | undefined
  /** Bit n is set while child n is not the one in `encoding`. */
  stale: number
}

/** A node that is stored where its path says. */
export interface Unresolved extends Versioned {
  readonly kind: 'unresolved'
  /** A hash. */
  readonly reference: NodeReference
}

const ALL_STALE = 0xffff

/** The bytes of a value, as its leaf holds them. */
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

/** `before` with other children; bit n of `replaced` is set where child n is not the same. */
export function branchAfter<V>(
  before: Branch<V>,
  children: readonly (TrieNode<V> | undefined)[],
  replaced: number,
  version: number,
): Branch<V> {
  return { kind: 'branch', children, encoding: before.encoding, stale: before.stale | replaced, version }
}

/**
 * `node` reached through `path`; leaves and extensions take the path in, as two may not follow one another. An unresolved
 * one is a branch.
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

/** Hash of the trie below `node`. Branches that were encoded before are not encoded again. */
export function rootHash<V>(node: TrieNode<V> | undefined, encode: ValueEncoder<V>): Hash {
  return node === undefined ? EMPTY_TRIE_ROOT : (bytesToHex(rootReference(node, encode)) as Hash)
}

/** The same in bytes. A parent would embed a short node; the root has no parent and is hashed whatever its size. */
export function rootReference<V>(node: TrieNode<V>, encode: ValueEncoder<V>): NodeReference {
  return node.kind === 'unresolved' ? node.reference : keccak256(encodeNode(node, encode))
}

/** The RLP of this node: the answer of a Merkle proof, what is hashed, and what is stored. */
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

/** How a parent names this node. */
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
