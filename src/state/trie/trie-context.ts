import { branchReference, type NodeReference } from './branch-encoding.ts'
import type { Nibbles } from './nibbles.ts'
import type { Branch, PresentNode, TrieNode, ValueEncoder } from './node.ts'

/** Context for reading and updating a trie. */
export interface TrieContext<V> {
  /** Above the version of every node in the trie; new nodes get it. */
  readonly version: number
  /**
   * Every node of this version or below can be resolved: it was in a trie that is now stored, at the same path, since
   * later tries only replace nodes by nodes of higher versions. Updates therefore release such nodes.
   */
  readonly stored: number
  readonly encode: ValueEncoder<V>
  /** See `TrieNodeSource.onGap`. */
  readonly onGap?: (() => void) | undefined
  /**
   * Resolves a parent's reference.
   *
   * @param depth nibbles of `key` that lead to it
   * @throws TrieNodeError
   */
  resolve(reference: NodeReference, key: Nibbles, depth: number): PresentNode<V>
}

/** For a trie that is entirely in memory. */
export function memoryContext<V>(encode: ValueEncoder<V>): TrieContext<V> {
  return { version: 1, stored: 0, encode, resolve: refuseToResolve }
}

function refuseToResolve(): never {
  throw new Error('a trie that is all in memory has no unresolved node')
}

/** The node itself, read if necessary. */
export function present<V>(context: TrieContext<V>, node: TrieNode<V>, key: Nibbles, depth: number): PresentNode<V> {
  return node.kind === 'unresolved' ? context.resolve(node.reference, key, depth) : node
}

/** The child of a branch, read if necessary; `depth` is the child's. */
export function childOf<V>(
  context: TrieContext<V>,
  branch: Branch<V>,
  index: number,
  key: Nibbles,
  depth: number,
): PresentNode<V> | undefined {
  const child = branch.children[index]
  if (child !== undefined) return present(context, child, key, depth)
  if (branch.encoding === undefined || (branch.stale & (1 << index)) !== 0) return undefined
  const reference = branchReference(branch.encoding, index)
  return reference === undefined ? undefined : context.resolve(reference, key, depth)
}
