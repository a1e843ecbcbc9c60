import type { Bytes } from '../../primitives/hex.ts'
import { HASH_LENGTH } from './branch-encoding.ts'
import { type Nibbles, nibbleAt } from './nibbles.ts'
import { encodeNode, type PresentNode, type TrieNode } from './node.ts'
import { childOf, present, type TrieContext } from './trie-context.ts'

/**
 * Merkle proof of a value or its absence: the RLP of the nodes from the root to the leaf, or to where the path ends.
 * Nodes embedded in their parent are not listed, as in go-ethereum; the proof for an empty trie is empty.
 *
 * @throws TrieNodeError
 */
export function nodeProof<V>(root: TrieNode<V> | undefined, key: Nibbles, context: TrieContext<V>): readonly Bytes[] {
  const proof: Bytes[] = []
  let node: PresentNode<V> | undefined = root && present(context, root, key, 0)
  let depth = 0
  while (node !== undefined) {
    const encoded = encodeNode(node, context.encode)
    if (depth === 0 || encoded.length >= HASH_LENGTH) proof.push(encoded)
    if (node.kind === 'leaf' || (node.kind === 'extension' && !key.startsWith(node.path, depth))) return proof
    if (node.kind === 'extension') {
      depth += node.path.length
      node = present(context, node.child, key, depth)
    } else {
      node = childOf(context, node, nibbleAt(key, depth), key, depth + 1)
      depth++
    }
  }
  return proof
}

/**
 * RLP of the node that a path leads to from the root; `undefined` where there is none, or one that its parent embeds.
 *
 * @throws TrieNodeError
 */
export function nodeAtPath<V>(
  root: TrieNode<V> | undefined,
  path: Nibbles,
  context: TrieContext<V>,
): Bytes | undefined {
  let node: PresentNode<V> | undefined = root && present(context, root, path, 0)
  let depth = 0
  while (node !== undefined && depth < path.length) {
    if (node.kind === 'leaf' || (node.kind === 'extension' && !path.startsWith(node.path, depth))) return undefined
    if (node.kind === 'extension') {
      depth += node.path.length
      node = present(context, node.child, path, depth)
    } else {
      node = childOf(context, node, nibbleAt(path, depth), path, depth + 1)
      depth++
    }
  }
  const encoded = node && encodeNode(node, context.encode)
  return encoded !== undefined && (depth === 0 || encoded.length >= HASH_LENGTH) ? encoded : undefined
}
