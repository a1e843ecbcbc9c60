import { CodedError } from '../../primitives/coded-error.ts'
import { type Bytes, bytesToHex } from '../../primitives/hex.ts'
import { keccak256 } from '../../primitives/keccak.ts'
import type { TrieNodeSource } from '../trie-node-source.ts'
import { HASH_LENGTH, type NodeReference } from './branch-encoding.ts'
import type { Nibbles } from './nibbles.ts'
import type { PresentNode } from './node.ts'
import type { TrieNodeCache } from './node-cache.ts'
import { decodeNode, type ValueDecoder } from './node-decoding.ts'
import { nodeKey } from './node-key.ts'

/** Source of unresolved nodes. */
export interface NodeStorage {
  readonly source: TrieNodeSource
  readonly cache: TrieNodeCache
  /** Whether leaves are cached when read: an update replaces those that it reads, and there are as many as values. */
  readonly keepsLeaves?: boolean
}

export type TrieNodeErrorCode = 'TRIE_NODE_MISSING' | 'TRIE_NODE_CORRUPT'

/** A stored trie is incomplete or corrupt. */
export class TrieNodeError extends CodedError<TrieNodeErrorCode> {
  override readonly name = 'TrieNodeError'
  /** Key of the node, in hex. */
  readonly key: string

  constructor(code: TrieNodeErrorCode, key: string, problem: string) {
    super(
      code,
      `the trie node ${key} ${problem}: restore the data directory from a copy, or remove it to start from the beginning`,
    )
    this.key = key
  }
}

/**
 * Resolves a reference: an embedded node, a cached one by hash, or a stored one by path, whose hash is then checked.
 *
 * @param prefix of the keys of its trie (node-key.ts)
 * @param depth nibbles of `path` that lead to it
 * @throws TrieNodeError
 */
export function readNode<V>(
  { source, cache, keepsLeaves = false }: NodeStorage,
  reference: NodeReference,
  prefix: Bytes,
  path: Nibbles,
  depth: number,
  decode: ValueDecoder<V>,
): PresentNode<V> {
  if (reference.length < HASH_LENGTH) return decodeNode(reference, decode)
  const cached = cache.get(reference)
  if (cached !== undefined) return decodeNode(cached, decode)
  const key = nodeKey(prefix, path, depth)
  const node = source.node(key)
  if (node === undefined) {
    throw new TrieNodeError('TRIE_NODE_MISSING', bytesToHex(key), `is not there, its hash is ${bytesToHex(reference)}`)
  }
  if (!sameHash(keccak256(node), reference)) {
    throw new TrieNodeError('TRIE_NODE_CORRUPT', bytesToHex(key), `does not have the hash ${bytesToHex(reference)}`)
  }
  const decoded = decodeNode(node, decode)
  if (keepsLeaves || decoded.kind !== 'leaf') cache.put(reference, node)
  return decoded
}

function sameHash(a: Bytes, b: Bytes): boolean {
  for (let index = 0; index < HASH_LENGTH; index++) {
    if (a[index] !== b[index]) return false
  }
  return true
}
