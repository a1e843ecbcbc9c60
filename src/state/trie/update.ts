import { branchReference } from './branch-encoding.ts'
import { commonPrefix, HEX_DIGITS, type Nibbles, nibbleAt } from './nibbles.ts'
import {
  type Branch,
  branchAfter,
  branchNode,
  type Extension,
  type Leaf,
  leafNode,
  type PresentNode,
  prefixed,
  type TrieNode,
} from './node.ts'
import { TrieNodeError } from './node-reading.ts'
import { childOf, present, type TrieContext } from './trie-context.ts'

/** A change to the value of a key. */
export interface TrieChange<V> {
  readonly key: Nibbles
  /** The new value given the old one; `undefined`: none. Returning the same value leaves the trie unchanged. */
  after(before: V | undefined): V | undefined
}

/** Sets `value` unconditionally; `undefined` deletes. */
export function valueChange<V>(key: Nibbles, value: V | undefined): TrieChange<V> {
  return { key, after: () => value }
}

/** The value of a complete key. */
export function lookUp<V>(root: TrieNode<V> | undefined, key: Nibbles, context: TrieContext<V>): V | undefined {
  let node = root && present(context, root, key, 0)
  let depth = 0
  while (node !== undefined) {
    switch (node.kind) {
      case 'leaf':
        return isRest(key, depth, node.path) ? node.value : undefined
      case 'extension':
        if (!key.startsWith(node.path, depth)) return undefined
        depth += node.path.length
        node = present(context, node.child, key, depth)
        break
      case 'branch':
        node = childOf(context, node, nibbleAt(key, depth), key, depth + 1)
        depth++
        break
    }
  }
  return undefined
}

/**
 * Applies a batch of changes with distinct keys in any order. Unchanged nodes are shared with `root`, which does not
 * change; a node on the path of several changes is copied once. Stored nodes that did not change are left unresolved
 * (TrieContext).
 *
 * @throws TrieNodeError
 * @example update(undefined, [valueChange('a1', 1n), valueChange('a2', undefined)], context)
 */
export function update<V>(
  root: TrieNode<V> | undefined,
  changes: readonly TrieChange<V>[],
  context: TrieContext<V>,
): TrieNode<V> | undefined {
  if (changes.length === 0) return root
  const ordered = changes.length < 2 ? changes : [...changes].sort((a, b) => (a.key < b.key ? -1 : 1))
  const before = root && present(context, root, ordered[0]!.key, 0)
  const after = updateNode(context, before, 0, ordered, 0, ordered.length)
  return after === before ? root : after
}

/** Applies the changes from `from` to before `to`, whose keys lead to `node` with their first `depth` nibbles. */
function updateNode<V>(
  context: TrieContext<V>,
  node: PresentNode<V> | undefined,
  depth: number,
  changes: readonly TrieChange<V>[],
  from: number,
  to: number,
): TrieNode<V> | undefined {
  if (node === undefined) return build(context, putsOf(changes, from, to), depth)
  switch (node.kind) {
    case 'leaf':
      return updateLeaf(context, node, depth, changes, from, to)
    case 'extension':
      return updateExtension(context, node, depth, changes, from, to)
    case 'branch':
      return updateBranch(context, node, depth, changes, from, to)
  }
}

/** A key with its new value. */
interface Put<V> {
  readonly key: Nibbles
  readonly value: V
}

/** Puts of changes in an empty subtrie. */
function putsOf<V>(changes: readonly TrieChange<V>[], from: number, to: number): Put<V>[] {
  const puts: Put<V>[] = []
  for (let index = from; index < to; index++) {
    const { key } = changes[index]!
    const value = changes[index]!.after(undefined)
    if (value !== undefined) puts.push({ key, value })
  }
  return puts
}

function updateLeaf<V>(
  context: TrieContext<V>,
  node: Leaf<V>,
  depth: number,
  changes: readonly TrieChange<V>[],
  from: number,
  to: number,
): TrieNode<V> | undefined {
  const first = changes[from]!
  if (to - from === 1 && isRest(first.key, depth, node.path)) {
    const value = first.after(node.value)
    if (value === node.value) return node
    return value === undefined ? undefined : leafNode(node.path, value, context.version)
  }
  const key = first.key.slice(0, depth) + node.path
  const puts: Put<V>[] = []
  let isPlaced = false
  for (let index = from; index < to; index++) {
    const change = changes[index]!
    if (!isPlaced && change.key > key) {
      isPlaced = true
      puts.push({ key, value: node.value })
    }
    const isHere = change.key === key
    if (isHere) isPlaced = true
    const value = change.after(isHere ? node.value : undefined)
    if (value !== undefined) puts.push({ key: change.key, value })
  }
  if (!isPlaced) puts.push({ key, value: node.value })
  if (puts.length === 1 && puts[0]!.key === key && puts[0]!.value === node.value) return node
  return build(context, puts, depth)
}

function updateExtension<V>(
  context: TrieContext<V>,
  node: Extension<V>,
  depth: number,
  changes: readonly TrieChange<V>[],
  from: number,
  to: number,
): TrieNode<V> | undefined {
  const { path, child } = node
  const { key } = changes[from]!
  // Keys are sorted: what the first and last share with the path, all others share too.
  const shared = Math.min(commonPrefix(path, 0, key, depth), commonPrefix(path, 0, changes[to - 1]!.key, depth))
  if (shared < path.length) {
    const children = noChildren<V>()
    children[nibbleAt(path, shared)] = prefixed(path.slice(shared + 1), child, context.version)
    const branch = branchNode(children, context.version)
    const split = updateBranch(context, branch, depth + shared, changes, from, to)
    return split && prefixed(path.slice(0, shared), split, context.version)
  }
  const before = present(context, child, key, depth + path.length)
  const after = updateNode(context, before, depth + path.length, changes, from, to)
  if (after === before) return node
  return after && prefixed(path, after, context.version)
}

function updateBranch<V>(
  context: TrieContext<V>,
  node: Branch<V>,
  depth: number,
  changes: readonly TrieChange<V>[],
  from: number,
  to: number,
): TrieNode<V> | undefined {
  const children = node.children.slice()
  /** Bit n is set if child n changed. */
  let replaced = 0
  let isFewer = false
  for (let start = from; start < to; ) {
    const end = endOfGroup(changes, depth, start, to)
    const { key } = changes[start]!
    const index = nibbleAt(key, depth)
    const before = childOf(context, node, index, key, depth + 1)
    const after = updateNode(context, before, depth + 1, changes, start, end)
    if (after !== before) {
      children[index] = after
      replaced |= 1 << index
    }
    isFewer ||= after === undefined
    start = end
  }
  if (replaced === 0 && !isFewer) return node
  const after = branchAfter(node, children, replaced, context.version)
  // An extension split for a change without effect leaves a branch with one child: collapse that too.
  if (isFewer) {
    const few = collapsed(context, after, changes[from]!.key.slice(0, depth))
    if (few !== after) return few
    if (replaced === 0) return node
  }
  letGoOfStored(context, children, after.stale)
  return after
}

/** A branch with one child is replaced by it. */
function collapsed<V>(context: TrieContext<V>, branch: Branch<V>, path: Nibbles): TrieNode<V> | undefined {
  const [only, ...others] = childIndexes(branch)
  if (only === undefined) return undefined
  if (others.length > 0) return branch
  const nibble = HEX_DIGITS[only]!
  const child = onlyChild(context, branch, only, path + nibble)
  return child === undefined ? branch : prefixed(nibble, child, context.version)
}

/** `undefined`: missing in a partial trie. */
function onlyChild<V>(
  context: TrieContext<V>,
  branch: Branch<V>,
  index: number,
  path: Nibbles,
): PresentNode<V> | undefined {
  try {
    return childOf(context, branch, index, path, path.length)
  } catch (error) {
    const isGap = error instanceof TrieNodeError && error.code === 'TRIE_NODE_MISSING'
    if (context.onGap === undefined || !isGap) throw error
    context.onGap()
    return undefined
  }
}

function childIndexes<V>({ children, encoding, stale }: Branch<V>): number[] {
  const indexes: number[] = []
  for (let index = 0; index < children.length; index++) {
    const isEncoded = encoding !== undefined && (stale & (1 << index)) === 0
    if (isEncoded ? branchReference(encoding, index) !== undefined : children[index] !== undefined) indexes.push(index)
  }
  return indexes
}

/** Stored children are released and resolved again when needed, which bounds the memory. */
function letGoOfStored<V>({ stored }: TrieContext<V>, children: (TrieNode<V> | undefined)[], stale: number): void {
  for (let index = 0; index < children.length; index++) {
    const child = children[index]
    // A stale child is not in its parent's encoding, from which it would be resolved.
    if (child !== undefined && child.version <= stored && (stale & (1 << index)) === 0) children[index] = undefined
  }
}

/** The trie of the sorted `puts` from `from` to before `to`, which share their first `depth` nibbles. */
function build<V>(
  context: TrieContext<V>,
  puts: readonly Put<V>[],
  depth: number,
  from = 0,
  to = puts.length,
): TrieNode<V> | undefined {
  if (from === to) return undefined
  const first = puts[from]!
  if (to - from === 1) return leafNode(first.key.slice(depth), first.value, context.version)
  const shared = commonPrefix(first.key, depth, puts[to - 1]!.key, depth)
  const children = noChildren<V>()
  for (let start = from; start < to; ) {
    const end = endOfGroup(puts, depth + shared, start, to)
    children[nibbleAt(puts[start]!.key, depth + shared)] = build(context, puts, depth + shared + 1, start, end)
    start = end
  }
  return prefixed(first.key.slice(depth, depth + shared), branchNode(children, context.version), context.version)
}

/** End of the entries that share the nibble at `depth` with the one at `start`. */
function endOfGroup(entries: readonly { key: Nibbles }[], depth: number, start: number, to: number): number {
  const nibble = entries[start]!.key.charCodeAt(depth)
  let end = start + 1
  while (end < to && entries[end]!.key.charCodeAt(depth) === nibble) end++
  return end
}

function noChildren<V>(): (TrieNode<V> | undefined)[] {
  return new Array<TrieNode<V> | undefined>(16).fill(undefined)
}

function isRest(key: Nibbles, depth: number, path: Nibbles): boolean {
  return key.length - depth === path.length && key.endsWith(path)
}
