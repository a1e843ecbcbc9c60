import { commonPrefix, HEX_DIGITS, type Nibbles, nibbleAt } from './nibbles.ts'
import {
  type Branch,
  branchAfter,
  branchNode,
  type Extension,
  type Leaf,
  leafNode,
  prefixed,
  type TrieNode,
} from './node.ts'

/** A key with its value after the update; `undefined` deletes. */
export interface TrieChange<V> {
  readonly key: Nibbles
  readonly value: V | undefined
}

/** The value under a whole key. */
export function lookUp<V>(root: TrieNode<V> | undefined, key: Nibbles): V | undefined {
  let node = root
  let depth = 0
  while (node !== undefined) {
    switch (node.kind) {
      case 'leaf':
        return isRest(key, depth, node.path) ? node.value : undefined
      case 'extension':
        if (!key.startsWith(node.path, depth)) return undefined
        depth += node.path.length
        node = node.child
        break
      case 'branch':
        node = node.children[nibbleAt(key, depth)]
        depth++
        break
    }
  }
  return undefined
}

/**
 * The trie after a batch of changes with distinct keys in any order. Untouched nodes are shared with `root`, which
 * stays as it is; a node on the path of several changes is copied once.
 *
 * @example update(undefined, [{ key: 'a1', value: 1n }, { key: 'a2', value: undefined }])
 */
export function update<V>(root: TrieNode<V> | undefined, changes: readonly TrieChange<V>[]): TrieNode<V> | undefined {
  if (changes.length === 0) return root
  return updateNode(root, 0, inOrder(changes), 0, changes.length)
}

function inOrder<V>(changes: readonly TrieChange<V>[]): readonly TrieChange<V>[] {
  return changes.length < 2 ? changes : [...changes].sort((a, b) => (a.key < b.key ? -1 : 1))
}

/** Applies the changes from `from` to before `to`, whose keys all lead to `node` in their first `depth` nibbles. */
function updateNode<V>(
  node: TrieNode<V> | undefined,
  depth: number,
  changes: readonly TrieChange<V>[],
  from: number,
  to: number,
): TrieNode<V> | undefined {
  if (node === undefined) {
    const puts = changes.slice(from, to).filter(({ value }) => value !== undefined)
    return build(puts, depth, 0, puts.length)
  }
  switch (node.kind) {
    case 'leaf':
      return updateLeaf(node, depth, changes, from, to)
    case 'extension':
      return updateExtension(node, depth, changes, from, to)
    case 'branch':
      return updateBranch(node, depth, changes, from, to)
  }
}

function updateLeaf<V>(
  node: Leaf<V>,
  depth: number,
  changes: readonly TrieChange<V>[],
  from: number,
  to: number,
): TrieNode<V> | undefined {
  const key = changes[from]!.key.slice(0, depth) + node.path
  const puts: TrieChange<V>[] = []
  let isPlaced = false
  for (let index = from; index < to; index++) {
    const change = changes[index]!
    if (!isPlaced && change.key >= key) {
      isPlaced = true
      if (change.key !== key) puts.push({ key, value: node.value })
    }
    if (change.value !== undefined) puts.push(change)
  }
  if (!isPlaced) puts.push({ key, value: node.value })
  if (puts.length === 1 && puts[0]!.key === key && puts[0]!.value === node.value) return node
  return build(puts, depth, 0, puts.length)
}

function updateExtension<V>(
  node: Extension<V>,
  depth: number,
  changes: readonly TrieChange<V>[],
  from: number,
  to: number,
): TrieNode<V> | undefined {
  const { path, child } = node
  // In order: what the first and the last key have in common with the path, all keys between them have too.
  const shared = Math.min(
    commonPrefix(path, 0, changes[from]!.key, depth),
    commonPrefix(path, 0, changes[to - 1]!.key, depth),
  )
  if (shared < path.length) {
    const children = noChildren<V>()
    children[nibbleAt(path, shared)] = prefixed(path.slice(shared + 1), child)
    const split = updateBranch(branchNode(children), depth + shared, changes, from, to)
    return split && prefixed(path.slice(0, shared), split)
  }
  const after = updateNode(child, depth + path.length, changes, from, to)
  if (after === child) return node
  return after && prefixed(path, after)
}

function updateBranch<V>(
  node: Branch<V>,
  depth: number,
  changes: readonly TrieChange<V>[],
  from: number,
  to: number,
): TrieNode<V> | undefined {
  const children = [...node.children]
  /** Bit n: child n is another. */
  let replaced = 0
  for (let start = from; start < to; ) {
    const end = endOfGroup(changes, depth, start, to)
    const nibble = nibbleAt(changes[start]!.key, depth)
    const before = children[nibble]
    const after = updateNode(before, depth + 1, changes, start, end)
    children[nibble] = after
    if (after !== before) replaced |= 1 << nibble
    start = end
  }
  // An extension that was split for a change without effect leaves a branch with one child behind: collapse it too.
  const only = onlyChild(children)
  if (only === 'none') return undefined
  if (only !== 'several') return prefixed(HEX_DIGITS[only]!, children[only]!)
  return replaced === 0 ? node : branchAfter(node, children, replaced)
}

/** The trie of `puts` from `from` to before `to`, all with a value, in order, the same in their first `depth` nibbles. */
function build<V>(puts: readonly TrieChange<V>[], depth: number, from: number, to: number): TrieNode<V> | undefined {
  if (from === to) return undefined
  const first = puts[from]!
  if (to - from === 1) return leafNode(first.key.slice(depth), first.value!)
  const shared = commonPrefix(first.key, depth, puts[to - 1]!.key, depth)
  const children = noChildren<V>()
  for (let start = from; start < to; ) {
    const end = endOfGroup(puts, depth + shared, start, to)
    children[nibbleAt(puts[start]!.key, depth + shared)] = build(puts, depth + shared + 1, start, end)
    start = end
  }
  return prefixed(first.key.slice(depth, depth + shared), branchNode(children))
}

/** Where the changes end that have the same nibble at `depth` as the one at `start`. */
function endOfGroup<V>(changes: readonly TrieChange<V>[], depth: number, start: number, to: number): number {
  const nibble = changes[start]!.key.charCodeAt(depth)
  let end = start + 1
  while (end < to && changes[end]!.key.charCodeAt(depth) === nibble) end++
  return end
}

/** The index of the only child: a branch with one child gives way to it. */
function onlyChild<V>(children: readonly (TrieNode<V> | undefined)[]): number | 'none' | 'several' {
  let only: number | 'none' = 'none'
  for (let index = 0; index < children.length; index++) {
    if (children[index] === undefined) continue
    if (only !== 'none') return 'several'
    only = index
  }
  return only
}

function noChildren<V>(): (TrieNode<V> | undefined)[] {
  return new Array<TrieNode<V> | undefined>(16).fill(undefined)
}

function isRest(key: Nibbles, depth: number, path: Nibbles): boolean {
  return key.length - depth === path.length && key.endsWith(path)
}
