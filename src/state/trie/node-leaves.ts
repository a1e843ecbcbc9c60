import { HEX_DIGITS, type Nibbles } from './nibbles.ts'
import type { PresentNode, TrieNode } from './node.ts'
import { childOf, present, type TrieContext } from './trie-context.ts'

/**
 * The leaves of a trie whose keys are at or after `start`, in the order of their keys, found lazily.
 *
 * @throws TrieNodeError
 */
export function* leavesFrom<V>(
  root: TrieNode<V> | undefined,
  start: Nibbles,
  context: TrieContext<V>,
): Generator<{ readonly key: Nibbles; readonly value: V }, void> {
  if (root !== undefined) yield* leavesBelow(present(context, root, '', 0), '', { start, context })
}

function* leavesBelow<V>(
  node: PresentNode<V>,
  path: Nibbles,
  search: { readonly start: Nibbles; readonly context: TrieContext<V> },
): Generator<{ readonly key: Nibbles; readonly value: V }, void> {
  const { start, context } = search
  if (node.kind === 'leaf') {
    const key = path + node.path
    if (key >= start) yield { key, value: node.value }
    return
  }
  if (node.kind === 'extension') {
    const next = path + node.path
    if (isBefore(next, start)) return
    yield* leavesBelow(present(context, node.child, next, next.length), next, search)
    return
  }
  for (const [index, digit] of [...HEX_DIGITS].entries()) {
    const next = path + digit
    if (isBefore(next, start)) continue
    const child = childOf(context, node, index, next, next.length)
    if (child !== undefined) yield* leavesBelow(child, next, search)
  }
}

/** Whether all keys with a prefix are before `start`. */
function isBefore(prefix: Nibbles, start: Nibbles): boolean {
  return prefix < start.slice(0, prefix.length)
}
