import type { Bytes } from '../../primitives/hex.ts'

export interface TrieNodeCacheOptions {
  /** Memory of the full cache; at least 1 MiB. Default: 96 MiB. */
  readonly bytes?: number
}

const DEFAULT_BYTES = 96 * 2 ** 20
const HASH_LENGTH = 32

/**
 * Size classes: leaves and small branches, and full branches of 532 bytes. Larger nodes (none in a state trie) are not
 * cached.
 */
const SMALL_NODE = 158
const LARGE_NODE = 532

/**
 * Cache of trie nodes by hash, valid for every trie and block; recently used nodes stay. It consists of a few large
 * arrays: as heap objects, a million nodes cost a gigabyte and tens of milliseconds of garbage collection (measured).
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
    // Small nodes first: most of the look-ups are for leaves.
    return this.#small.get(hash) ?? this.#large.get(hash)
  }

  /** The caller has verified the hash. */
  put(hash: Bytes, node: Bytes): void {
    if (node.length <= SMALL_NODE) this.#small.put(hash, node)
    else if (node.length <= LARGE_NODE) this.#large.put(hash, node)
  }
}

/** Set associativity: the hash selects a set of this many slots, of which the least recently used is replaced. */
const WAYS = 8

/** Header of a slot: node length (two bytes) and hash. */
const HEADER = 2 + HASH_LENGTH
/** Slots are aligned to cache lines. */
const LINE = 64

/** A shelf starts with this much memory, and grows by the factor whenever half of its slots are used. */
const FIRST_BYTES = 2 ** 19
const GROWTH = 4

/**
 * A set-associative cache with slots of one size. The memory exceeds the processor's caches, so one cache line holds
 * the tags of a set. It starts small because test suites open thousands of nodes with short chains: allocating the
 * full memory for each took 40 % of their time (measured).
 */
class Shelf {
  readonly #slotLength: number
  /** Sets when fully grown. */
  readonly #maxSets: number
  #sets: number
  #slots: Buffer
  /** Per slot: four bytes of its hash (0 if empty) and the time of its last use. */
  #marks: Uint32Array
  #usedSlots = 0
  /** Use counter, modulo 2^32. */
  #now = 0

  constructor(nodeLength: number, bytes: number) {
    this.#slotLength = Math.ceil((HEADER + nodeLength) / LINE) * LINE
    this.#maxSets = this.#setsOf(bytes)
    this.#sets = Math.min(this.#setsOf(FIRST_BYTES), this.#maxSets)
    this.#slots = this.#emptySlots()
    this.#marks = this.#emptyMarks()
  }

  get(hash: Bytes): Bytes | undefined {
    const slot = this.#find(hash, this.#firstOf(hash))
    if (slot === undefined) return undefined
    this.#marks[2 * slot + 1] = ++this.#now
    const start = slot * this.#slotLength
    const length = this.#slots[start]! + this.#slots[start + 1]! * 256
    const node = Buffer.allocUnsafe(length)
    this.#slots.copy(node, 0, start + HEADER, start + HEADER + length)
    return node
  }

  put(hash: Bytes, node: Bytes): void {
    if (this.#usedSlots > (this.#sets * WAYS) / 2 && this.#sets < this.#maxSets) this.#grow()
    const first = this.#firstOf(hash)
    const slot = this.#find(hash, first) ?? this.#unusedForLongest(first)
    if (this.#marks[2 * slot] === 0) this.#usedSlots++
    const start = slot * this.#slotLength
    this.#slots[start] = node.length % 256
    this.#slots[start + 1] = node.length >> 8
    this.#slots.set(hash, start + 2)
    this.#slots.set(node, start + HEADER)
    this.#marks[2 * slot] = tagOf(hash)
    this.#marks[2 * slot + 1] = ++this.#now
  }

  /** Moves all nodes to a larger table. */
  #grow(): void {
    const [slots, marks] = [this.#slots, this.#marks]
    this.#sets = Math.min(this.#sets * GROWTH, this.#maxSets)
    this.#slots = this.#emptySlots()
    this.#marks = this.#emptyMarks()
    this.#usedSlots = 0
    for (let slot = 0; 2 * slot < marks.length; slot++) {
      if (marks[2 * slot] === 0) continue
      const start = slot * this.#slotLength
      const target = this.#unusedForLongest(this.#firstOf(slots.subarray(start + 2, start + HEADER)))
      if (this.#marks[2 * target] === 0) this.#usedSlots++
      slots.copy(this.#slots, target * this.#slotLength, start, start + this.#slotLength)
      this.#marks[2 * target] = marks[2 * slot]!
      this.#marks[2 * target + 1] = marks[2 * slot + 1]!
    }
  }

  /** The number of sets that fit into the memory; at least 1. */
  #setsOf(bytes: number): number {
    return Math.max(1, Math.floor(bytes / (this.#slotLength + 8) / WAYS))
  }

  #emptySlots(): Buffer {
    return Buffer.alloc(this.#sets * WAYS * this.#slotLength)
  }

  #emptyMarks(): Uint32Array {
    return new Uint32Array(this.#sets * WAYS * 2)
  }

  #firstOf(hash: Bytes): number {
    const number = ((hash[0]! << 24) | (hash[1]! << 16) | (hash[2]! << 8) | hash[3]!) >>> 0
    return (number % this.#sets) * WAYS
  }

  #find(hash: Bytes, first: number): number | undefined {
    const tag = tagOf(hash)
    for (let slot = first; slot < first + WAYS; slot++) {
      if (this.#marks[2 * slot] === tag && this.#isAt(slot, hash)) return slot
    }
    return undefined
  }

  #isAt(slot: number, hash: Bytes): boolean {
    const start = slot * this.#slotLength + 2
    for (let index = 0; index < HASH_LENGTH; index++) {
      if (this.#slots[start + index] !== hash[index]) return false
    }
    return true
  }

  #unusedForLongest(first: number): number {
    let oldest = first
    let longest = -1
    for (let slot = first; slot < first + WAYS; slot++) {
      if (this.#marks[2 * slot] === 0) return slot
      const unused = (this.#now - this.#marks[2 * slot + 1]!) >>> 0
      if (unused > longest) {
        longest = unused
        oldest = slot
      }
    }
    return oldest
  }
}

function tagOf(hash: Bytes): number {
  // Never 0, which marks an empty slot.
  return ((hash[4]! << 24) | (hash[5]! << 16) | (hash[6]! << 8) | hash[7]! | 1) >>> 0
}
