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
 * Puts what an item is encoded as before what was pushed (`primitives/rlp-parts`). Called once for each, in any order; it
 * may neither begin an encoding of its own nor ask for another root.
 */
export type ItemWriter<T> = (item: T) => void

/** Root over a whole list, without a trie in between; see `emptyOrderedTrie` for one that grows. */
export function orderedRoot(items: readonly Bytes[]): Hash {
  return orderedRootsOf(items, [pushEncoded])[0]!
}

/**
 * Roots over what is not encoded yet: of several tries over the same list, such as a block's transactions and their
 * receipts. They have the same shape, and what is at the same place in each is hashed together.
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
  // In the order of their keys: the RLP of zero is 0x80, that of the indexes below 128 is themselves.
  for (let index = 1; index < Math.min(items.length, ZERO_KEY); index++) add(index)
  add(0)
  for (let index = ZERO_KEY; index < items.length; index++) add(index)
  const roots = referencesAt(0, tries)
  try {
    putNodes(list, { depth: 0, above: 0, nibble: 0 }, 0, items.length)
  } finally {
    // Also where an item cannot be written: nothing waits that would be put into the next tries.
    flushHashes()
  }
  return writers.map((_, trie) => hexWithin(roots.bytes, startOf(trie, 0), startOf(trie, 0) + HASH_LENGTH) as Hash)
}

/** A list and its keys in their order. */
interface SortedList<T> {
  readonly keys: Nibbles[]
  readonly items: T[]
  readonly writers: readonly ItemWriter<T>[]
}

const ZERO_KEY = 0x80
const CHILDREN = 16
/** RLP of no bytes. */
const EMPTY_ITEM = 0x80

/** Where a node is: how many nibbles and branches are above it, and which child of the last of them it is. */
interface Place {
  readonly depth: number
  readonly above: number
  readonly nibble: number
}

/** How the children of a branch are named, in each of the tries; no bytes: there is none. */
interface References {
  readonly bytes: Uint8Array
  readonly lengths: Uint8Array
}

/** By the branches above; kept, as a list of a few items would leave more behind than it has. The first is of the roots. */
const references: References[] = []

/** None of them is there yet. */
function referencesAt(branches: number, tries: number): References {
  const kept = references[branches]
  if (kept !== undefined && kept.lengths.length >= tries * CHILDREN) {
    kept.lengths.fill(0)
    return kept
  }
  const slots = tries * CHILDREN
  const made = { bytes: new Uint8Array(slots * HASH_LENGTH), lengths: new Uint8Array(slots) }
  references[branches] = made
  return made
}

function startOf(trie: number, nibble: number): number {
  return (trie * CHILDREN + nibble) * HASH_LENGTH
}

/** Writes the node of each trie over the entries from `from` to before `to`, whose keys have the nibbles above in common. */
function putNodes<T>(list: SortedList<T>, place: Place, from: number, to: number): void {
  if (to - from === 1) putLeaves(list, place, from)
  else putBranches(list, place, from, to)
}

function putLeaves<T>({ keys, items, writers }: SortedList<T>, place: Place, index: number): void {
  const key = keys[index]!
  for (let trie = 0; trie < writers.length; trie++) {
    startTransient()
    writers[trie]!(items[index]!)
    endString(encodedLength())
    pushPath(key, place.depth, key.length, LEAF)
    endList(0)
    refer(trie, place)
  }
}

function putBranches<T>(list: SortedList<T>, place: Place, from: number, to: number): void {
  const { keys, writers } = list
  const key = keys[from]!
  const fork = place.depth + commonPrefix(key, place.depth, keys[to - 1]!, place.depth)
  const above = place.above + 1
  const children = referencesAt(above, writers.length)
  // Leaves first, so that they wait together while the branches below are written.
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
  const isExtended = fork > place.depth
  for (let trie = 0; trie < writers.length; trie++) {
    pushBranch(children, trie)
    // What it is made from is not asked for any more.
    refer(trie, isExtended ? { depth: fork, above, nibble: 0 } : place)
  }
  if (!isExtended) return
  flushHashes()
  for (let trie = 0; trie < writers.length; trie++) {
    startTransient()
    pushReference(children, trie, 0)
    pushPath(key, place.depth, fork, EXTENSION)
    endList(0)
    refer(trie, place)
  }
}

function pushBranch(children: References, trie: number): void {
  startTransient()
  // It has no value either.
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

/** Names the node that was just written: by its hash, or by itself where it is shorter, unless it is the root. */
function refer(trie: number, { above, nibble, depth }: Place): void {
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

/** What hex-prefix encoding begins with (yellow paper, appendix C), where the nibbles are even. */
const LEAF = 0x20
const EXTENSION = 0x00
const ODD = 0x10

/** The nibbles of a key from `from` to before `to`. */
function pushPath(key: Nibbles, from: number, to: number, kind: number): void {
  const before = encodedLength()
  let position = to
  for (; position - from >= 2; position -= 2) pushType((nibbleAt(key, position - 2) << 4) | nibbleAt(key, position - 1))
  pushType(position === from ? kind : kind + ODD + nibbleAt(key, from))
  endString(encodedLength() - before)
}

/** Of the indexes that most lists have. */
const KNOWN_KEYS = Array.from({ length: 1_024 }, (_, index) => newIndexKey(index))

/** The key of an item: its index in RLP. */
export function indexKey(index: number): Nibbles {
  return KNOWN_KEYS[index] ?? newIndexKey(index)
}

function newIndexKey(index: number): Nibbles {
  return bytesToNibbles(encodeRlp(index))
}
