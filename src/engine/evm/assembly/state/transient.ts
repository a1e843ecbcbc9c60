import { allocate } from '../memory/arena.ts'
import {
  capacityOf,
  clearTable,
  firstBucket,
  growTable,
  hashOfWord,
  indexOf,
  insert,
  isTableEmpty,
  isTableFull,
  nextBucket,
  recordAt,
} from '../memory/hash-table.ts'
import { TABLE_SIZE } from '../memory/layout.ts'
import { TRANSACTION_ARENA } from '../session-state.ts'
import { copyWord, isEqual } from '../words/word.ts'
import { save } from './journal.ts'

/** Transient storage (EIP-1153): cleared at the end of the transaction, reverted with the frame. */

// The key, then the journaled part: the value.
const VALUE: usize = 32
const ACCOUNT: usize = 72
const RECORD_SIZE: usize = 80

const TABLE = memory.data(<i32>TABLE_SIZE, 16)
let isReady = false

/** For the next transaction; its arena was released. */
export function clearTransient(): void {
  isReady = false
}

function hashOf(account: usize, key: usize): u64 {
  return hashOfWord(key, <u32>account)
}

/** Address of the value; 0: it is zero. */
export function transientValue(account: usize, key: usize): usize {
  if (!isReady || isTableEmpty(TABLE)) return 0
  const record = find(account, key)
  return record === 0 ? 0 : record + VALUE
}

export function setTransientValue(account: usize, key: usize, value: usize): void {
  if (!isReady) {
    clearTable(TABLE, TRANSACTION_ARENA)
    isReady = true
  }
  let record = find(account, key)
  if (record === 0) {
    if (isTableFull(TABLE)) grow()
    record = allocate(TRANSACTION_ARENA, RECORD_SIZE)
    memory.fill(record, 0, RECORD_SIZE)
    copyWord(record, key)
    store<usize>(record, account, ACCOUNT)
    insert(TABLE, hashOf(account, key), record)
  }
  save(record + VALUE)
  copyWord(record + VALUE, value)
}

function find(account: usize, key: usize): usize {
  let position = firstBucket(TABLE, hashOf(account, key))
  let record = recordAt(TABLE, position)
  while (record !== 0 && (load<usize>(record, ACCOUNT) !== account || !isEqual(record, key))) {
    position = nextBucket(TABLE, position)
    record = recordAt(TABLE, position)
  }
  return record
}

function grow(): void {
  const index = indexOf(TABLE)
  const capacity = capacityOf(TABLE)
  growTable(TABLE, TRANSACTION_ARENA)
  for (let position: u32 = 0; position < capacity; position++) {
    const record = load<usize>(index + (position << 2))
    if (record !== 0) insert(TABLE, hashOf(load<usize>(record, ACCOUNT), record), record)
  }
}
