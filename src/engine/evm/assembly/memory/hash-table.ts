import { allocate } from './arena.ts'

/**
 * Open addressing over records that start with their key. A table has the address and mask of its index and the number
 * of records. The hash is keyed, so that an attacker cannot choose colliding keys.
 */

const INDEX: usize = 0
const MASK: usize = 4
const COUNT: usize = 8

const FIRST_CAPACITY: u32 = 1024
/** Secret multipliers, one for each 32 bits of a word and one for the owner, then a summand. */
const PIECES: usize = 8
const KEYS = memory.data(<i32>((PIECES + 2) << 3), 16)

/** SplitMix64: derives the secrets from a seed. */
export function setSeed(seed: u64): void {
  let state = seed
  for (let key: usize = 0; key < PIECES + 2; key++) {
    state += 0x9e3779b97f4a7c15
    let mixed = (state ^ (state >> 30)) * 0xbf58476d1ce4e5b9
    mixed = (mixed ^ (mixed >> 27)) * 0x94d049bb133111eb
    store<u64>(KEYS + (key << 3), mixed ^ (mixed >> 31))
  }
}

/**
 * Hash of a word and its owner (0: none). Multilinear: the upper half of a sum of products of 32-bit pieces with secret
 * 64-bit keys, so that any two words collide no more often than by chance.
 */
export function hashOfWord(word: usize, owner: u32): u64 {
  let sum = load<u64>(KEYS, 72) + <u64>owner * load<u64>(KEYS, 64)
  sum += <u64>load<u32>(word) * load<u64>(KEYS)
  sum += <u64>load<u32>(word, 4) * load<u64>(KEYS, 8)
  sum += <u64>load<u32>(word, 8) * load<u64>(KEYS, 16)
  sum += <u64>load<u32>(word, 12) * load<u64>(KEYS, 24)
  sum += <u64>load<u32>(word, 16) * load<u64>(KEYS, 32)
  sum += <u64>load<u32>(word, 20) * load<u64>(KEYS, 40)
  sum += <u64>load<u32>(word, 24) * load<u64>(KEYS, 48)
  sum += <u64>load<u32>(word, 28) * load<u64>(KEYS, 56)
  return sum
}

/** Hash of the address in the low 160 bits of a word; higher bits are ignored. */
export function hashOfAddress(word: usize): u64 {
  let sum = load<u64>(KEYS, 72)
  sum += <u64>load<u32>(word) * load<u64>(KEYS)
  sum += <u64>load<u32>(word, 4) * load<u64>(KEYS, 8)
  sum += <u64>load<u32>(word, 8) * load<u64>(KEYS, 16)
  sum += <u64>load<u32>(word, 12) * load<u64>(KEYS, 24)
  sum += <u64>load<u32>(word, 16) * load<u64>(KEYS, 32)
  return sum
}

/** An empty table with an index from the arena. */
export function clearTable(table: usize, arena: usize): void {
  const index = allocate(arena, FIRST_CAPACITY << 2)
  memory.fill(index, 0, FIRST_CAPACITY << 2)
  store<usize>(table, index, INDEX)
  store<u32>(table, FIRST_CAPACITY - 1, MASK)
  store<u32>(table, 0, COUNT)
}

/** Removes the records; the index keeps its size. */
export function emptyIndex(table: usize): void {
  memory.fill(load<usize>(table, INDEX), 0, (load<u32>(table, MASK) + 1) << 2)
  store<u32>(table, 0, COUNT)
}

export function isTableEmpty(table: usize): bool {
  return load<u32>(table, COUNT) === 0
}

/** First bucket to probe. */
export function firstBucket(table: usize, hash: u64): u32 {
  return <u32>(hash >> 32) & load<u32>(table, MASK)
}

export function nextBucket(table: usize, position: u32): u32 {
  return (position + 1) & load<u32>(table, MASK)
}

/** 0 for an empty bucket: the key is not in the table. */
export function recordAt(table: usize, position: u32): usize {
  return load<usize>(load<usize>(table, INDEX) + (position << 2))
}

/** Whether the index must grow before an insertion. */
export function isTableFull(table: usize): bool {
  return load<u32>(table, COUNT) * 2 > load<u32>(table, MASK)
}

/** Replaces the index by an empty one of twice the size; the caller reinserts the records of the old one. */
export function growTable(table: usize, arena: usize): void {
  const capacity = (load<u32>(table, MASK) + 1) * 2
  const index = allocate(arena, capacity << 2)
  memory.fill(index, 0, capacity << 2)
  store<usize>(table, index, INDEX)
  store<u32>(table, capacity - 1, MASK)
  store<u32>(table, 0, COUNT)
}

export function indexOf(table: usize): usize {
  return load<usize>(table, INDEX)
}

export function capacityOf(table: usize): u32 {
  return load<u32>(table, MASK) + 1
}

/** Inserts a record that is not in the table. */
export function insert(table: usize, hash: u64, record: usize): void {
  let position = firstBucket(table, hash)
  while (recordAt(table, position) !== 0) position = nextBucket(table, position)
  store<usize>(load<usize>(table, INDEX) + (position << 2), record)
  store<u32>(table, load<u32>(table, COUNT) + 1, COUNT)
}
