import type { Bytes } from '../../primitives/hex.ts'
import {
  branchReference,
  differingChildren,
  HASH_LENGTH,
  type NodeReference,
  presentChildren,
} from './branch-encoding.ts'
import { HEX_DIGITS, type Nibbles, nibbleAt } from './nibbles.ts'
import {
  type Extension,
  encodeNode,
  nodeReference,
  type PresentNode,
  rootReference,
  type TrieNode,
  type ValueEncoder,
} from './node.ts'
import type { TrieNodeCache } from './node-cache.ts'
import { nodeKey } from './node-key.ts'
import { childOf, present, type TrieContext } from './trie-context.ts'

/** Receives the writes. */
export interface NodeWriteTarget {
  readonly puts: (readonly [key: Bytes, node: Bytes])[]
  readonly deletes: Bytes[]
  /** Receives the nodes that are written, since they are in use. */
  readonly cache: TrieNodeCache | undefined
}

/** One of the two compared tries. */
export interface TrieVersion<V> {
  readonly root: TrieNode<V> | undefined
  readonly context: TrieContext<V>
  /** Called for each leaf that the other trie does not have at the same path. */
  readonly onLeaf?: (key: Nibbles, value: V) => void
}

/**
 * Puts and deletes that turn the stored nodes of trie `before` into those of `after`. Walks both side by side and skips
 * shared subtries. A node is stored if it is the root or its parent refers to it by hash.
 *
 * Yields between parts of the work: a block that changed 20,000 accounts takes 100 ms.
 *
 * @throws TrieNodeError
 */
export function* nodeWrites<V>(
  after: TrieVersion<V>,
  before: TrieVersion<V>,
  prefix: Bytes,
  target: NodeWriteTarget,
): Generator<void, void> {
  const walk = new Walk(after, before, prefix, target)
  walk.compareRoots()
  for (let task = walk.tasks.pop(); task !== undefined; task = walk.tasks.pop()) {
    yield
    task()
  }
}

/** A node, or the inside of an extension, where nothing is stored. */
type NodePosition<V> =
  | PresentNode<V>
  | { readonly kind: 'within'; readonly extension: Extension<V>; readonly used: number }

/** Subtries at this depth are separate parts of the work: up to 256. */
const TASK_DEPTH = 2

class Walk<V> {
  readonly tasks: (() => void)[] = []
  readonly #after: TrieVersion<V>
  readonly #before: TrieVersion<V>
  readonly #prefix: Bytes
  readonly #target: NodeWriteTarget

  constructor(after: TrieVersion<V>, before: TrieVersion<V>, prefix: Bytes, target: NodeWriteTarget) {
    this.#after = after
    this.#before = before
    this.#prefix = prefix
    this.#target = target
  }

  compareRoots(): void {
    const after = this.#after.root
    const before = this.#before.root
    if (after === before) return
    const reference = after && rootReference(after, this.#after.context.encode)
    if (reference && before && sameBytes(reference, rootReference(before, this.#before.context.encode))) return
    this.#compare(
      after && present(this.#after.context, after, '', 0),
      before && present(this.#before.context, before, '', 0),
      '',
      reference,
    )
  }

  /** `reference`: the parent's reference to `after`, if that is a node. The two are known to differ. */
  #compare(
    after: NodePosition<V> | undefined,
    before: NodePosition<V> | undefined,
    path: Nibbles,
    reference: NodeReference | undefined,
  ): void {
    const { encode } = this.#after.context
    if (reference?.length === HASH_LENGTH && after !== undefined && after.kind !== 'within') {
      const node = encodeNode(after, encode)
      this.#target.puts.push([nodeKey(this.#prefix, path), node])
      this.#target.cache?.put(reference, node)
    } else if (before !== undefined && this.#isStored(before, path)) {
      this.#target.deletes.push(nodeKey(this.#prefix, path))
    }
    if (after?.kind === 'leaf') this.#after.onLeaf?.(path + after.path, after.value)
    if (before?.kind === 'leaf') this.#before.onLeaf?.(path + before.path, before.value)
    if (after?.kind === 'branch' && before?.kind === 'branch') {
      const differing = differingChildren(encodeNode(after, encode), encodeNode(before, this.#before.context.encode))
      this.#descend(after, before, path, differing)
    } else {
      const indexes = nextNibbles(after, encode) | nextNibbles(before, this.#before.context.encode)
      this.#descend(after, before, path, indexes)
    }
  }

  /** Compares the children whose bit is set. */
  #descend(
    after: NodePosition<V> | undefined,
    before: NodePosition<V> | undefined,
    path: Nibbles,
    indexes: number,
  ): void {
    for (let index = 0; index < 16; index++) {
      if ((indexes & (1 << index)) === 0) continue
      const below = path + HEX_DIGITS[index]!
      if (below.length === TASK_DEPTH) this.#compareLater(after, before, below, index)
      else this.#compareChildren(after, before, below, index)
    }
  }

  /** Separate from `#descend`, whose scope would otherwise retain every child. */
  #compareLater(
    after: NodePosition<V> | undefined,
    before: NodePosition<V> | undefined,
    below: Nibbles,
    index: number,
  ): void {
    this.tasks.push(() => this.#compareChildren(after, before, below, index))
  }

  #compareChildren(
    after: NodePosition<V> | undefined,
    before: NodePosition<V> | undefined,
    below: Nibbles,
    index: number,
  ): void {
    const reference = referenceOf(this.#after.context, after, index)
    const old = referenceOf(this.#before.context, before, index)
    if (reference !== undefined && old !== undefined && sameBytes(reference, old)) return
    this.#compare(
      positionBelow(this.#after.context, after, below, index),
      positionBelow(this.#before.context, before, below, index),
      below,
      reference,
    )
  }

  #isStored(position: NodePosition<V>, path: Nibbles): boolean {
    if (position.kind === 'within') return false
    return path === '' || encodeNode(position, this.#before.context.encode).length >= HASH_LENGTH
  }
}

/** Bit n is set if the trie continues with nibble n. */
function nextNibbles<V>(position: NodePosition<V> | undefined, encode: ValueEncoder<V>): number {
  switch (position?.kind) {
    case 'branch':
      return presentChildren(encodeNode(position, encode))
    case 'extension':
      return 1 << nibbleAt(position.path, 0)
    case 'within':
      return 1 << nibbleAt(position.extension.path, position.used)
    default:
      return 0
  }
}

/** Reference to the node one nibble below, if there is one. */
function referenceOf<V>(
  context: TrieContext<V>,
  position: NodePosition<V> | undefined,
  index: number,
): NodeReference | undefined {
  if (position?.kind === 'branch') return branchReference(encodeNode(position, context.encode), index)
  const rest = restOf(position)
  if (rest === undefined || rest.used + 1 < rest.extension.path.length) return undefined
  return nibbleAt(rest.extension.path, rest.used) === index
    ? nodeReference(rest.extension.child, context.encode)
    : undefined
}

/** The subtrie one nibble below, at `path`. */
function positionBelow<V>(
  context: TrieContext<V>,
  position: NodePosition<V> | undefined,
  path: Nibbles,
  index: number,
): NodePosition<V> | undefined {
  if (position?.kind === 'branch') return childOf(context, position, index, path, path.length)
  const rest = restOf(position)
  if (rest === undefined || nibbleAt(rest.extension.path, rest.used) !== index) return undefined
  const used = rest.used + 1
  if (used < rest.extension.path.length) return { kind: 'within', extension: rest.extension, used }
  return present(context, rest.extension.child, path, path.length)
}

function restOf<V>(position: NodePosition<V> | undefined): { extension: Extension<V>; used: number } | undefined {
  if (position?.kind === 'within') return position
  return position?.kind === 'extension' ? { extension: position, used: 0 } : undefined
}

function sameBytes(a: Bytes, b: Bytes): boolean {
  if (a.length !== b.length) return false
  for (let index = 0; index < a.length; index++) {
    if (a[index] !== b[index]) return false
  }
  return true
}
