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
  for (const { node, depth } of nodesAlong(root, key, context)) {
    const encoded = encodeNode(node, context.encode)
    if (depth === 0 || encoded.length >= HASH_LENGTH) proof.push(encoded)
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
  for (const { node, depth } of nodesAlong(root, path, context)) {
    if (depth !== path.length) continue
    const encoded = encodeNode(node, context.encode)
    return depth === 0 || encoded.length >= HASH_LENGTH ? encoded : undefined
  }
  return undefined
}

/** The nodes from the root along a path, to its end or to the node in which it leaves the trie. */
function* nodesAlong<V>(
  root: TrieNode<V> | undefined,
  path: Nibbles,
  context: TrieContext<V>,
): Generator<{ readonly node: PresentNode<V>; readonly depth: number }, void> {
  let node: PresentNode<V> | undefined = root && present(context, root, path, 0)
  let depth = 0
  while (node !== undefined) {
    yield { node, depth }
    if (depth === path.length || node.kind === 'leaf') return
    if (node.kind === 'extension') {
      if (!path.startsWith(node.path, depth)) return
      depth += node.path.length
      node = present(context, node.child, path, depth)
    } else {
      node = childOf(context, node, nibbleAt(path, depth), path, depth + 1)
      depth++
    }
  }
}
