import { EMPTY_TRIE_ROOT } from '../../chain/constants.ts'
import { flushHashes, queueHash } from '../../primitives/batched-hashes.ts'
import { type Bytes, type Hash, hexWithin } from '../../primitives/hex.ts'
import { encodeRlp } from '../../primitives/rlp.ts'
import {
  encoded,
  encodedLength,
  endList,
  endString,
  pushEncoded,
  pushRepeated,
  pushStringWithin,
  pushType,
  pushWithin,
  startTransient,
} from '../../primitives/rlp-parts.ts'
import { HASH_LENGTH } from './branch-encoding.ts'
import { bytesToNibbles, commonPrefix, type Nibbles, nibbleAt } from './nibbles.ts'

/**
 * Pushes the encoding of an item (`primitives/rlp-parts`). Called once for each item, in any order; it must not start
 * another encoding or compute another root.
 */
export type ItemWriter<T> = (item: T) => void

/** Root over a complete list, without building a trie; see `emptyOrderedTrie` for a growing one. */
export function orderedRoot(items: readonly Bytes[]): Hash {
  return orderedRootsOf(items, [pushEncoded])[0]!
}

/**
 * Roots of several tries over the same list, such as a block's transactions and receipts, encoded on the way. The tries
 * have one shape, so nodes at the same path are hashed in one batch.
 *
 * @returns in the order of the writers
 */
export function orderedRootsOf<T>(items: readonly T[], writers: readonly ItemWriter<T>[]): Hash[] {
  const tries = writers.length
  if (items.length === 0) return new Array<Hash>(tries).fill(EMPTY_TRIE_ROOT)
  const list: SortedList<T> = { keys: [], items: [], writers }
  const add = (index: number) => {
    list.keys.push(indexKey(index))
    list.items.push(items[index]!)
  }
  // In key order: the RLP of 0 is 0x80, that of the other indexes below 128 is the index itself.
  for (let index = 1; index < Math.min(items.length, ZERO_KEY); index++) add(index)
  add(0)
  for (let index = ZERO_KEY; index < items.length; index++) add(index)
  const roots = referencesAt(0, tries)
  try {
    putNodes(list, { depth: 0, above: 0, nibble: 0 }, 0, items.length)
  } finally {
    // Also after a failed item, so that no queued hash goes into the next tries.
    flushHashes()
  }
  return writers.map((_, trie) => hexWithin(roots.bytes, startOf(trie, 0), startOf(trie, 0) + HASH_LENGTH) as Hash)
}

/** A list with its sorted keys. */
interface SortedList<T> {
  readonly keys: Nibbles[]
  readonly items: T[]
  readonly writers: readonly ItemWriter<T>[]
}

const ZERO_KEY = 0x80
const CHILDREN = 16
/** RLP of an empty string. */
const EMPTY_ITEM = 0x80

/** Location of a node: nibbles and branches above it, and its index in the last branch. */
interface NodePosition {
  readonly depth: number
  readonly above: number
  readonly nibble: number
}

/** References to the children of a branch in each trie; empty for a missing child. */
interface References {
  readonly bytes: Uint8Array
  readonly lengths: Uint8Array
}

/**
 * By number of branches above; reused, since allocating them would cost more than a short list. The first one holds the
 * roots.
 */
const references: References[] = []

/** All children missing. */
function referencesAt(branches: number, tries: number): References {
  const previous = references[branches]
  if (previous !== undefined && previous.lengths.length >= tries * CHILDREN) {
    previous.lengths.fill(0)
    return previous
  }
  const slots = tries * CHILDREN
  const made = { bytes: new Uint8Array(slots * HASH_LENGTH), lengths: new Uint8Array(slots) }
  references[branches] = made
  return made
}

function startOf(trie: number, nibble: number): number {
  return (trie * CHILDREN + nibble) * HASH_LENGTH
}

/** Writes the node of each trie over the entries from `from` to before `to`, which share the nibbles above. */
function putNodes<T>(list: SortedList<T>, position: NodePosition, from: number, to: number): void {
  if (to - from === 1) putLeaves(list, position, from)
  else putBranches(list, position, from, to)
}

function putLeaves<T>({ keys, items, writers }: SortedList<T>, position: NodePosition, index: number): void {
  const key = keys[index]!
  for (let trie = 0; trie < writers.length; trie++) {
    startTransient()
    writers[trie]!(items[index]!)
    endString(encodedLength())
    pushPath(key, position.depth, key.length, LEAF)
    endList(0)
    refer(trie, position)
  }
}

function putBranches<T>(list: SortedList<T>, position: NodePosition, from: number, to: number): void {
  const { keys, writers } = list
  const key = keys[from]!
  const fork = position.depth + commonPrefix(key, position.depth, keys[to - 1]!, position.depth)
  const above = position.above + 1
  const children = referencesAt(above, writers.length)
  // Leaves first, so that they are hashed together while the branches below are encoded.
  for (const isLeaf of [true, false]) {
    for (let start = from; start < to; ) {
      const nibble = nibbleAt(keys[start]!, fork)
      let end = start + 1
      while (end < to && nibbleAt(keys[end]!, fork) === nibble) end++
      if ((end - start === 1) === isLeaf) putNodes(list, { depth: fork + 1, above, nibble }, start, end)
      start = end
    }
  }
  flushHashes()
  const isExtended = fork > position.depth
  for (let trie = 0; trie < writers.length; trie++) {
    pushBranch(children, trie)
    // Frees the references of the children.
    refer(trie, isExtended ? { depth: fork, above, nibble: 0 } : position)
  }
  if (!isExtended) return
  flushHashes()
  for (let trie = 0; trie < writers.length; trie++) {
    startTransient()
    pushReference(children, trie, 0)
    pushPath(key, position.depth, fork, EXTENSION)
    endList(0)
    refer(trie, position)
  }
}

function pushBranch(children: References, trie: number): void {
  startTransient()
  // A branch has no value either.
  let empty = 1
  for (let nibble = CHILDREN - 1; nibble >= 0; nibble--) {
    if (children.lengths[trie * CHILDREN + nibble] === 0) {
      empty += 1
      continue
    }
    pushRepeated(EMPTY_ITEM, empty)
    empty = 0
    pushReference(children, trie, nibble)
  }
  pushRepeated(EMPTY_ITEM, empty)
  endList(0)
}

function pushReference({ bytes, lengths }: References, trie: number, nibble: number): void {
  const length = lengths[trie * CHILDREN + nibble]!
  if (length === HASH_LENGTH) pushStringWithin(bytes, startOf(trie, nibble), length)
  else pushWithin(bytes, startOf(trie, nibble), length)
}

/** Stores the reference to the node that was just written: its hash, or itself if it is shorter and not the root. */
function refer(trie: number, { above, nibble, depth }: NodePosition): void {
  const { bytes, lengths } = references[above]!
  const length = encodedLength()
  const start = startOf(trie, nibble)
  if (length < HASH_LENGTH && depth > 0) {
    lengths[trie * CHILDREN + nibble] = length
    bytes.set(encoded(), start)
  } else {
    lengths[trie * CHILDREN + nibble] = HASH_LENGTH
    queueHash(bytes, start)
  }
}

/** Flags of the hex-prefix encoding (Yellow Paper, appendix C) for an even number of nibbles. */
const LEAF = 0x20
const EXTENSION = 0x00
const ODD = 0x10

/** Pushes the nibbles of a key from `from` to before `to`. */
function pushPath(key: Nibbles, from: number, to: number, kind: number): void {
  const before = encodedLength()
  let position = to
  for (; position - from >= 2; position -= 2) pushType((nibbleAt(key, position - 2) << 4) | nibbleAt(key, position - 1))
  pushType(position === from ? kind : kind + ODD + nibbleAt(key, from))
  endString(encodedLength() - before)
}

/** Precomputed keys for lists of typical length. */
const CACHED_KEYS = Array.from({ length: 1_024 }, (_, index) => newIndexKey(index))

/** The key of an item: its index in RLP. */
export function indexKey(index: number): Nibbles {
  return CACHED_KEYS[index] ?? newIndexKey(index)
}

function newIndexKey(index: number): Nibbles {
  return bytesToNibbles(encodeRlp(index))
}
