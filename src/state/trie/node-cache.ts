import type { Bytes } from '../../primitives/hex.ts'

export interface TrieNodeCacheOptions {
  /** Memory that it takes once it is full; at least 1 MiB. 96 MiB. */
  readonly bytes?: number
}

const DEFAULT_BYTES = 96 * 2 ** 20
const HASH_LENGTH = 32

/** Leaves and small branches; full branches, which take 532 bytes. Larger nodes (none of a state trie) are not kept. */
const SMALL_NODE = 152
const LARGE_NODE = 532

/**
 * Nodes of tries by their hash, so that what it answers is right for every trie, whichever block it is of; what was used
 * lately stays. All of it lies in a few large arrays: as objects on the heap, a million nodes cost a gigabyte and the
 * garbage collector tens of milliseconds (measured).
 *
 * @example new TrieNodeCache({ bytes: 64 * 2 ** 20 })
 */
export class TrieNodeCache {
  readonly #small: Shelf
  readonly #large: Shelf

  constructor({ bytes = DEFAULT_BYTES }: TrieNodeCacheOptions = {}) {
    this.#large = new Shelf(LARGE_NODE, bytes * 0.55)
    this.#small = new Shelf(SMALL_NODE, bytes * 0.45)
  }

  /** A copy of the node with this hash, 32 bytes. */
  get(hash: Bytes): Bytes | undefined {
    // Small ones come first: more of the nodes asked for are leaves.
    return this.#small.get(hash) ?? this.#large.get(hash)
  }

  /** The caller has made sure that it is the hash of the node. */
  put(hash: Bytes, node: Bytes): void {
    if (node.length <= SMALL_NODE) this.#small.put(hash, node)
    else if (node.length <= LARGE_NODE) this.#large.put(hash, node)
  }
}

/** A node goes to one of so many slots, which its hash decides; it takes the place of the one unused for longest. */
const WAYS = 8

/** A set-associative cache: slots of one size. */
class Shelf {
  readonly #sets: number
  readonly #slotLength: number
  /** Hash and node of each slot. */
  readonly #slots: Buffer
  readonly #lengths: Uint16Array
  /** Four bytes of each hash: they tell nearly all slots apart without a look at the slot. */
  readonly #tags: Uint32Array
  /** When each slot was used last. A double: 32 bits of uses are over in a day. */
  readonly #uses: Float64Array
  #now = 0

  constructor(nodeLength: number, bytes: number) {
    this.#slotLength = HASH_LENGTH + nodeLength
    const perSlot = this.#slotLength + 2 + 4 + 8
    this.#sets = Math.max(1, Math.floor(bytes / perSlot / WAYS))
    const count = this.#sets * WAYS
    this.#slots = Buffer.alloc(count * this.#slotLength)
    this.#lengths = new Uint16Array(count)
    this.#tags = new Uint32Array(count)
    this.#uses = new Float64Array(count)
  }

  get(hash: Bytes): Bytes | undefined {
    const slot = this.#find(hash)
    if (slot === undefined) return undefined
    this.#uses[slot] = ++this.#now
    const start = slot * this.#slotLength + HASH_LENGTH
    const length = this.#lengths[slot]!
    const node = Buffer.allocUnsafe(length)
    this.#slots.copy(node, 0, start, start + length)
    return node
  }

  put(hash: Bytes, node: Bytes): void {
    const slot = this.#find(hash) ?? this.#unusedForLongest(this.#firstOf(hash))
    const start = slot * this.#slotLength
    this.#slots.set(hash, start)
    this.#slots.set(node, start + HASH_LENGTH)
    this.#lengths[slot] = node.length
    this.#tags[slot] = tagOf(hash)
    this.#uses[slot] = ++this.#now
  }

  #firstOf(hash: Bytes): number {
    const number = ((hash[0]! << 24) | (hash[1]! << 16) | (hash[2]! << 8) | hash[3]!) >>> 0
    return (number % this.#sets) * WAYS
  }

  #find(hash: Bytes): number | undefined {
    const first = this.#firstOf(hash)
    const tag = tagOf(hash)
    for (let slot = first; slot < first + WAYS; slot++) {
      if (this.#tags[slot] === tag && this.#lengths[slot] !== 0 && this.#isAt(slot, hash)) return slot
    }
    return undefined
  }

  #isAt(slot: number, hash: Bytes): boolean {
    const start = slot * this.#slotLength
    for (let index = 0; index < HASH_LENGTH; index++) {
      if (this.#slots[start + index] !== hash[index]) return false
    }
    return true
  }

  #unusedForLongest(first: number): number {
    let oldest = first
    for (let slot = first + 1; slot < first + WAYS; slot++) {
      if (this.#uses[slot]! < this.#uses[oldest]!) oldest = slot
    }
    return oldest
  }
}

function tagOf(hash: Bytes): number {
  return ((hash[4]! << 24) | (hash[5]! << 16) | (hash[6]! << 8) | hash[7]!) >>> 0
}
