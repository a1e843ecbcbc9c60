import { allocate } from '../memory/arena.ts'
import {
  capacityOf,
  clearTable,
  firstPlace,
  growTable,
  hashOfWord,
  indexOf,
  insert,
  isTableFull,
  nextPlace,
  recordAt,
} from '../memory/hash-table.ts'
import { TABLE_SIZE } from '../memory/layout.ts'
import { copyWord, isEqual, isZero } from '../words/word.ts'
import { FIRST_SLOT, GENERATION, GENERATION_BEFORE, HAS_SOME, HOST_STORAGE, markDirty } from './accounts.ts'
import { remember } from './journal.ts'
import { SESSION_ARENA, transaction } from './session-state.ts'

/** The storage slots that a session has seen, one record for each; see `accounts.ts`. */

export const SLOT_KEY: usize = 0
// Part: value.
export const SLOT_VALUE: usize = 32
const SLOT_GENERATION: usize = 64
const SLOT_WARM_IN: usize = 68
// Not under the journal.
export const SLOT_ACCOUNT: usize = 72
/** Whether the value is known; warming one by an access list does not ask for it. */
const IS_LOADED: usize = 76
/** The value when the transaction began (EIP-2200), once it is looked at. */
export const ORIGINAL: usize = 80
const ORIGINAL_IN: usize = 112
const SLOT_IS_DIRTY: usize = 116
export const SLOT_NEXT_DIRTY: usize = 120
const NEXT_OF_ACCOUNT: usize = 124
/** What the last diff left behind. */
const VALUE_BEFORE: usize = 128
/** See `cold-accesses.ts`. */
export const COLD_SLOT: usize = 160
const SLOT_SIZE: usize = 176

const VALUE_PART = SLOT_VALUE

const TABLE = memory.data(<i32>TABLE_SIZE, 16)
const ZERO = memory.data(32, 16)
/** Written since the last diff. */
export let firstDirtySlot: usize = 0

export function clearSlots(): void {
  clearTable(TABLE, SESSION_ARENA)
  firstDirtySlot = 0
}

function hashOf(account: usize, key: usize): u64 {
  return hashOfWord(key, <u32>account)
}

/** The slot's record, made where there is none. */
export function slotOf(account: usize, key: usize): usize {
  const hash = hashOf(account, key)
  let place = firstPlace(TABLE, hash)
  let slot = recordAt(TABLE, place)
  while (slot !== 0) {
    if (load<usize>(slot, SLOT_ACCOUNT) === account && isEqual(slot, key)) return slot
    place = nextPlace(TABLE, place)
    slot = recordAt(TABLE, place)
  }
  if (isTableFull(TABLE)) grow()
  slot = allocate(SESSION_ARENA, SLOT_SIZE)
  memory.fill(slot, 0, SLOT_SIZE)
  copyWord(slot, key)
  store<usize>(slot, account, SLOT_ACCOUNT)
  store<usize>(slot, load<usize>(account, FIRST_SLOT), NEXT_OF_ACCOUNT)
  store<usize>(account, slot, FIRST_SLOT)
  insert(TABLE, hash, slot)
  return slot
}

function grow(): void {
  const index = indexOf(TABLE)
  const capacity = capacityOf(TABLE)
  growTable(TABLE, SESSION_ARENA)
  for (let place: u32 = 0; place < capacity; place++) {
    const slot = load<usize>(index + (place << 2))
    if (slot !== 0) insert(TABLE, hashOf(load<usize>(slot, SLOT_ACCOUNT), slot), slot)
  }
}

/** Whether the host has to provide the value before it can be read; never once the storage was cleared. */
export function needsValue(slot: usize): bool {
  return load<u32>(slot, IS_LOADED) === 0 && load<u32>(load<usize>(slot, SLOT_ACCOUNT), GENERATION) === 0
}

/** The value that the host's state has. */
export function provideValue(slot: usize, value: usize): void {
  store<u32>(slot, 1, IS_LOADED)
  copyWord(slot + VALUE_BEFORE, value)
  if (load<u32>(slot, SLOT_GENERATION) === 0) copyWord(slot + SLOT_VALUE, value)
}

/** Where the slot's present value is. */
export function currentValue(slot: usize): usize {
  const generation = load<u32>(load<usize>(slot, SLOT_ACCOUNT), GENERATION)
  return load<u32>(slot, SLOT_GENERATION) === generation ? slot + SLOT_VALUE : ZERO
}

/** Call it before a transaction writes the slot. */
export function keepOriginal(slot: usize): void {
  if (load<u32>(slot, ORIGINAL_IN) === transaction) return
  store<u32>(slot, transaction, ORIGINAL_IN)
  copyWord(slot + ORIGINAL, currentValue(slot))
}

export function setValue(slot: usize, value: usize): void {
  const account = load<usize>(slot, SLOT_ACCOUNT)
  remember(slot + VALUE_PART)
  copyWord(slot + SLOT_VALUE, value)
  store<u32>(slot, load<u32>(account, GENERATION), SLOT_GENERATION)
  if (load<u32>(slot, SLOT_IS_DIRTY) !== 0) return
  store<u32>(slot, 1, SLOT_IS_DIRTY)
  store<usize>(slot, firstDirtySlot, SLOT_NEXT_DIRTY)
  firstDirtySlot = slot
  markDirty(account)
}

export function isWarmSlot(slot: usize): bool {
  return load<u32>(slot, SLOT_WARM_IN) === transaction
}

/** Makes it warm (EIP-2929). */
export function warmSlot(slot: usize): void {
  remember(slot + VALUE_PART)
  store<u32>(slot, transaction, SLOT_WARM_IN)
}

/**
 * Whether any slot is not zero (EIP-7610), of an account without code and nonce: none of those that the host has can have
 * been written, or it was cleared.
 */
export function hasStorage(account: usize): bool {
  if (load<u32>(account, HOST_STORAGE) === HAS_SOME && load<u32>(account, GENERATION) === 0) return true
  for (let slot = load<usize>(account, FIRST_SLOT); slot !== 0; slot = load<usize>(slot, NEXT_OF_ACCOUNT)) {
    if (!isZero(currentValue(slot))) return true
  }
  return false
}

/** Whether a dirty slot is other than the last diff left it. Ends its being dirty. */
export function settleSlot(slot: usize): bool {
  const account = load<usize>(slot, SLOT_ACCOUNT)
  const value = currentValue(slot)
  const wasCleared = load<u32>(account, GENERATION) !== load<u32>(account, GENERATION_BEFORE)
  const isChanged = wasCleared ? !isZero(value) : !isEqual(value, slot + VALUE_BEFORE)
  copyWord(slot + VALUE_BEFORE, value)
  store<u32>(slot, 0, SLOT_IS_DIRTY)
  return isChanged
}

/** After the storage was cleared: nothing of it is left to compare with. */
export function settleClearedSlots(account: usize): void {
  for (let slot = load<usize>(account, FIRST_SLOT); slot !== 0; slot = load<usize>(slot, NEXT_OF_ACCOUNT)) {
    copyWord(slot + VALUE_BEFORE, currentValue(slot))
  }
}

export function dropDirtySlot(): void {
  firstDirtySlot = load<usize>(firstDirtySlot, SLOT_NEXT_DIRTY)
}
