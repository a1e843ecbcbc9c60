import {
  ACCOUNT_FIRST_SLOT,
  ACCOUNT_GENERATION,
  ACCOUNT_GENERATION_BEFORE,
  ACCOUNT_HOST_STORAGE,
  HOST_STORAGE_USED,
  SLOT_ACCOUNT,
  SLOT_GENERATION,
  SLOT_IS_DIRTY,
  SLOT_IS_LOADED,
  SLOT_NEXT_DIRTY,
  SLOT_NEXT_OF_ACCOUNT,
  SLOT_ORIGINAL,
  SLOT_ORIGINAL_IN,
  SLOT_SIZE,
  SLOT_VALUE,
  SLOT_VALUE_BEFORE,
  SLOT_WARM_IN,
} from '../../abi/records.ts'
import { allocate } from '../memory/arena.ts'
import {
  capacityOf,
  clearTable,
  firstBucket,
  growTable,
  hashOfWord,
  indexOf,
  insert,
  isTableFull,
  nextBucket,
  recordAt,
} from '../memory/hash-table.ts'
import { TABLE_SIZE } from '../memory/layout.ts'
import { SESSION_ARENA, transaction } from '../session-state.ts'
import { copyWord, isEqual, isZero } from '../words/word.ts'
import { markDirty } from './accounts.ts'
import { save } from './journal.ts'

/** Storage slots loaded by a session, one record each; see `accounts.ts`. */

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

/** Finds or creates the slot's record. */
export function slotOf(account: usize, key: usize): usize {
  const hash = hashOf(account, key)
  let position = firstBucket(TABLE, hash)
  let slot = recordAt(TABLE, position)
  while (slot !== 0) {
    if (load<usize>(slot, SLOT_ACCOUNT) === account && isEqual(slot, key)) return slot
    position = nextBucket(TABLE, position)
    slot = recordAt(TABLE, position)
  }
  if (isTableFull(TABLE)) grow()
  slot = allocate(SESSION_ARENA, SLOT_SIZE)
  memory.fill(slot, 0, SLOT_SIZE)
  copyWord(slot, key)
  store<usize>(slot, account, SLOT_ACCOUNT)
  store<usize>(slot, load<usize>(account, ACCOUNT_FIRST_SLOT), SLOT_NEXT_OF_ACCOUNT)
  store<usize>(account, slot, ACCOUNT_FIRST_SLOT)
  insert(TABLE, hash, slot)
  return slot
}

function grow(): void {
  const index = indexOf(TABLE)
  const capacity = capacityOf(TABLE)
  growTable(TABLE, SESSION_ARENA)
  for (let position: u32 = 0; position < capacity; position++) {
    const slot = load<usize>(index + (position << 2))
    if (slot !== 0) insert(TABLE, hashOf(load<usize>(slot, SLOT_ACCOUNT), slot), slot)
  }
}

/** Whether the host must provide the value before a read; never after the storage was cleared. */
export function needsValue(slot: usize): bool {
  return load<u32>(slot, SLOT_IS_LOADED) === 0 && load<u32>(load<usize>(slot, SLOT_ACCOUNT), ACCOUNT_GENERATION) === 0
}

/** Sets the value from the host's state. */
export function provideValue(slot: usize, value: usize): void {
  store<u32>(slot, 1, SLOT_IS_LOADED)
  copyWord(slot + SLOT_VALUE_BEFORE, value)
  if (load<u32>(slot, SLOT_GENERATION) === 0) copyWord(slot + SLOT_VALUE, value)
}

/** Address of the slot's current value. */
export function currentValue(slot: usize): usize {
  const generation = load<u32>(load<usize>(slot, SLOT_ACCOUNT), ACCOUNT_GENERATION)
  return load<u32>(slot, SLOT_GENERATION) === generation ? slot + SLOT_VALUE : ZERO
}

/** Call before a transaction writes the slot. */
export function keepOriginal(slot: usize): void {
  if (load<u32>(slot, SLOT_ORIGINAL_IN) === transaction) return
  store<u32>(slot, transaction, SLOT_ORIGINAL_IN)
  copyWord(slot + SLOT_ORIGINAL, currentValue(slot))
}

export function setValue(slot: usize, value: usize): void {
  const account = load<usize>(slot, SLOT_ACCOUNT)
  save(slot + VALUE_PART)
  copyWord(slot + SLOT_VALUE, value)
  store<u32>(slot, load<u32>(account, ACCOUNT_GENERATION), SLOT_GENERATION)
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
  save(slot + VALUE_PART)
  store<u32>(slot, transaction, SLOT_WARM_IN)
}

/**
 * Whether any slot is not zero (EIP-7610), for an account without code and nonce: its slots from the host cannot have
 * been written, unless its storage was cleared.
 */
export function hasStorage(account: usize): bool {
  if (load<u32>(account, ACCOUNT_HOST_STORAGE) === HOST_STORAGE_USED && load<u32>(account, ACCOUNT_GENERATION) === 0)
    return true
  for (
    let slot = load<usize>(account, ACCOUNT_FIRST_SLOT);
    slot !== 0;
    slot = load<usize>(slot, SLOT_NEXT_OF_ACCOUNT)
  ) {
    if (!isZero(currentValue(slot))) return true
  }
  return false
}

/** Whether a dirty slot differs from the last diff; marks it clean. */
export function commitSlot(slot: usize): bool {
  const account = load<usize>(slot, SLOT_ACCOUNT)
  const value = currentValue(slot)
  const wasCleared = load<u32>(account, ACCOUNT_GENERATION) !== load<u32>(account, ACCOUNT_GENERATION_BEFORE)
  const isChanged = wasCleared ? !isZero(value) : !isEqual(value, slot + SLOT_VALUE_BEFORE)
  copyWord(slot + SLOT_VALUE_BEFORE, value)
  store<u32>(slot, 0, SLOT_IS_DIRTY)
  return isChanged
}

/** After the storage was cleared: there is no previous value to compare with. */
export function commitClearedSlots(account: usize): void {
  for (
    let slot = load<usize>(account, ACCOUNT_FIRST_SLOT);
    slot !== 0;
    slot = load<usize>(slot, SLOT_NEXT_OF_ACCOUNT)
  ) {
    copyWord(slot + SLOT_VALUE_BEFORE, currentValue(slot))
  }
}

export function dropDirtySlot(): void {
  firstDirtySlot = load<usize>(firstDirtySlot, SLOT_NEXT_DIRTY)
}
