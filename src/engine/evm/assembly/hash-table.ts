import { allocate } from './arena.ts'

/**
 * Open addressing over records that begin with their key (yellow paper has no say in it). A table is where its index
 * is, the index's mask, how many records it holds. The hash is seeded: who chooses keys cannot choose collisions.
 */

const INDEX: usize = 0
const MASK: usize = 4
const COUNT: usize = 8

const FIRST_CAPACITY: u32 = 1024
const MULTIPLIER: u64 = 0x9e3779b97f4a7c15

let seed: u64 = 0

export function setSeed(value: u64): void {
  seed = value
}

export function mix(hash: u64, value: u64): u64 {
  const mixed = (hash ^ value) * MULTIPLIER
  return mixed ^ (mixed >> 29)
}

export function firstHash(): u64 {
  return seed
}

/** An empty table with an index from the arena. */
export function clearTable(table: usize, arena: usize): void {
  const index = allocate(arena, FIRST_CAPACITY << 2)
  memory.fill(index, 0, FIRST_CAPACITY << 2)
  store<usize>(table, index, INDEX)
  store<u32>(table, FIRST_CAPACITY - 1, MASK)
  store<u32>(table, 0, COUNT)
}

/** The records are gone, the index stays as large as it is. */
export function emptyIndex(table: usize): void {
  memory.fill(load<usize>(table, INDEX), 0, (load<u32>(table, MASK) + 1) << 2)
  store<u32>(table, 0, COUNT)
}

export function isTableEmpty(table: usize): bool {
  return load<u32>(table, COUNT) === 0
}

/** Where the search for a hash begins. */
export function firstPlace(table: usize, hash: u64): u32 {
  return <u32>(hash ^ (hash >> 32)) & load<u32>(table, MASK)
}

export function nextPlace(table: usize, place: u32): u32 {
  return (place + 1) & load<u32>(table, MASK)
}

/** 0 where there is none: the key is not in the table. */
export function recordAt(table: usize, place: u32): usize {
  return load<usize>(load<usize>(table, INDEX) + (place << 2))
}

/** Whether the index has to grow before one more record comes in. */
export function isTableFull(table: usize): bool {
  return load<u32>(table, COUNT) * 2 > load<u32>(table, MASK)
}

/** Leaves an index of twice the size without records; the caller puts them in again from the old one. */
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

/** Puts a record that is not there yet. */
export function insert(table: usize, hash: u64, record: usize): void {
  let place = firstPlace(table, hash)
  while (recordAt(table, place) !== 0) place = nextPlace(table, place)
  store<usize>(load<usize>(table, INDEX) + (place << 2), record)
  store<u32>(table, load<u32>(table, COUNT) + 1, COUNT)
}
