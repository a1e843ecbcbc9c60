import { EMPTY_TRIE_ROOT } from '../../chain/constants.ts'
import type { Bytes, Hash } from '../../primitives/hex.ts'
import { keccak256Into, keccakHash } from '../../primitives/keccak.ts'
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
 * @param encode called once for each, in any order; the bytes may lie in memory that the next call writes to. It
 *   may not ask for another root.
 */
export function orderedRootOf<T>(items: readonly T[], encode: (item: T) => Bytes): Hash {
  if (items.length === 0) return EMPTY_TRIE_ROOT
  const entries: Entry<T>[] = []
  const add = (index: number) => entries.push({ key: indexKey(index), value: items[index]! })
  // In the order of their keys: the RLP of zero is 0x80, that of the indexes below 128 is themselves.
  for (let index = 1; index < Math.min(items.length, ZERO_KEY); index++) add(index)
  add(0)
  for (let index = ZERO_KEY; index < items.length; index++) add(index)
  return keccakHash(encodingIn(entries, encode, { depth: 0, branches: 0 }, 0, entries.length))
}

interface Entry<T> {
  readonly key: Nibbles
  readonly value: T
}

const ZERO_KEY = 0x80

/** Where a node is: the nibbles above it, and how many branches. */
interface Place {
  readonly depth: number
  readonly branches: number
}

/** The children of the branch that is put together with so many branches above it, and memory for their hashes. */
interface BranchSpace {
  readonly children: (NodeReference | null)[]
  readonly hashes: readonly Bytes[]
}

/** By the branches above; kept, as a list of a few items would leave more behind than it has. */
const branchSpaces: BranchSpace[] = []

function branchSpace(branches: number): BranchSpace {
  const space = branchSpaces[branches]
  if (space !== undefined) {
    space.children.fill(null)
    return space
  }
  const made = {
    children: new Array<NodeReference | null>(16).fill(null),
    hashes: Array.from({ length: 16 }, () => new Uint8Array(HASH_LENGTH)),
  }
  branchSpaces[branches] = made
  return made
}

/**
 * The RLP of the node over the entries from `from` to before `to`, which have the nibbles above their place in common. It
 * may lie in memory that the next call writes to.
 */
function encodingIn<T>(
  entries: readonly Entry<T>[],
  encode: (item: T) => Bytes,
  { depth, branches }: Place,
  from: number,
  to: number,
): Bytes {
  const { key, value } = entries[from]!
  if (to - from === 1) return encodeLeafIn(key.slice(depth), encode(value))
  const fork = depth + commonPrefix(key, depth, entries[to - 1]!.key, depth)
  const { children, hashes } = branchSpace(branches)
  const below = { depth: fork + 1, branches: branches + 1 }
  for (let start = from; start < to; ) {
    const nibble = nibbleAt(entries[start]!.key, fork)
    let end = start + 1
    while (end < to && nibbleAt(entries[end]!.key, fork) === nibble) end++
    children[nibble] = referenceTo(encodingIn(entries, encode, below, start, end), hashes[nibble]!)
    start = end
  }
  const branch = encodeBranch(undefined, children)
  if (fork === depth) return branch
  const child = referenceTo(branch, hashes[0]!)
  return encodeRlp([
    compactPath(key.slice(depth, fork), false),
    child.length === HASH_LENGTH ? child : decodeRlp(child),
  ])
}

function referenceTo(encoding: Bytes, hash: Bytes): NodeReference {
  if (encoding.length < HASH_LENGTH) return Buffer.from(encoding)
  keccak256Into(encoding, hash)
  return hash
}

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
