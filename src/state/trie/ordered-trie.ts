import { EMPTY_TRIE_ROOT } from '../../chain/constants.ts'
import { type Bytes, bytesToHex, type Hash } from '../../primitives/hex.ts'
import { keccak256 } from '../../primitives/keccak.ts'
import { decodeRlp, encodeRlp } from '../../primitives/rlp.ts'
import { encodeBranch, HASH_LENGTH, type NodeReference } from './branch-encoding.ts'
import { encodeLeafIn } from './leaf-encoding.ts'
import { bytesToNibbles, commonPrefix, compactPath, type Nibbles, nibbleAt } from './nibbles.ts'
import { rootHash, type TrieNode } from './node.ts'
import { memoryContext } from './trie-context.ts'
import { update, valueChange } from './update.ts'

/** The trie of a list under the RLP of each index: transactions, receipts, withdrawals. Immutable. */
export interface OrderedTrie {
  /** How many items it has. */
  readonly size: number
  /** Hashes only what was appended since the trie it came from, once. */
  readonly root: Hash
  /** Items are encoded already: RLP, or the envelope of EIP-2718. */
  append(items: readonly Bytes[]): OrderedTrie
}

/** @example emptyOrderedTrie().append(transactions.map(({ raw }) => raw)).root */
export function emptyOrderedTrie(): OrderedTrie {
  return new MerkleOrderedTrie(0, undefined)
}

/** Root over a whole list, without a trie in between; see `emptyOrderedTrie` for one that grows. */
export function orderedRoot(items: readonly Bytes[]): Hash {
  return orderedRootOf(items, itself)
}

/**
 * The same over what is not encoded yet.
 *
 * @param encode called once for each, in any order; the bytes may lie in memory that the next call writes to
 */
export function orderedRootOf<T>(items: readonly T[], encode: (item: T) => Bytes): Hash {
  if (items.length === 0) return EMPTY_TRIE_ROOT
  const entries: Entry<T>[] = []
  const add = (index: number) => entries.push({ key: indexKey(index), value: items[index]! })
  // In the order of their keys: the RLP of zero is 0x80, that of the indexes below 128 is themselves.
  for (let index = 1; index < Math.min(items.length, ZERO_KEY); index++) add(index)
  add(0)
  for (let index = ZERO_KEY; index < items.length; index++) add(index)
  return bytesToHex(keccak256(encodingIn(entries, encode, 0, 0, entries.length))) as Hash
}

interface Entry<T> {
  readonly key: Nibbles
  readonly value: T
}

const ZERO_KEY = 0x80

/**
 * The RLP of the node over the entries from `from` to before `to`, which have their first `depth` nibbles in common. It may
 * lie in memory that the next call writes to.
 */
function encodingIn<T>(
  entries: readonly Entry<T>[],
  encode: (item: T) => Bytes,
  depth: number,
  from: number,
  to: number,
): Bytes {
  const { key, value } = entries[from]!
  if (to - from === 1) return encodeLeafIn(key.slice(depth), encode(value))
  const fork = depth + commonPrefix(key, depth, entries[to - 1]!.key, depth)
  const children = NO_CHILDREN.slice()
  for (let start = from; start < to; ) {
    const nibble = nibbleAt(entries[start]!.key, fork)
    let end = start + 1
    while (end < to && nibbleAt(entries[end]!.key, fork) === nibble) end++
    children[nibble] = referenceTo(encodingIn(entries, encode, fork + 1, start, end))
    start = end
  }
  const branch = encodeBranch(undefined, children)
  if (fork === depth) return branch
  const child = referenceTo(branch)
  return encodeRlp([
    compactPath(key.slice(depth, fork), false),
    child.length === HASH_LENGTH ? child : decodeRlp(child),
  ])
}

function referenceTo(encoding: Bytes): NodeReference {
  return encoding.length < HASH_LENGTH ? Buffer.from(encoding) : keccak256(encoding)
}

const NO_CHILDREN: readonly (NodeReference | null)[] = new Array(16).fill(null)

const CONTEXT = memoryContext(itself)

class MerkleOrderedTrie implements OrderedTrie {
  readonly size: number
  readonly #node: TrieNode<Bytes> | undefined

  constructor(size: number, node: TrieNode<Bytes> | undefined) {
    this.size = size
    this.#node = node
  }

  get root(): Hash {
    return rootHash(this.#node, itself)
  }

  append(items: readonly Bytes[]): OrderedTrie {
    if (items.length === 0) return this
    const changes = items.map((value, offset) => valueChange(indexKey(this.size + offset), value))
    return new MerkleOrderedTrie(this.size + items.length, update(this.#node, changes, CONTEXT))
  }
}

/** Of the indexes that most lists have. */
const KNOWN_KEYS = Array.from({ length: 1_024 }, (_, index) => newIndexKey(index))

function indexKey(index: number): string {
  return KNOWN_KEYS[index] ?? newIndexKey(index)
}

function newIndexKey(index: number): string {
  return bytesToNibbles(encodeRlp(index))
}

function itself(item: Bytes): Bytes {
  return item
}
