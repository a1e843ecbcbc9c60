import {
  ACCOUNT_CODE,
  ACCOUNT_CODE_HASH,
  ACCOUNT_HAS_CODE,
  CODE_BYTES,
  CODE_DIFFED_IN,
  CODE_JUMPDESTS,
  CODE_KIND,
  CODE_LENGTH,
  CODE_LINK,
  CODE_LISTED_IN,
  CODE_NEW_IN,
  CODE_NEXT_NEW,
  CODE_PADDING,
  DELEGATION,
  MARKER,
  ORDINARY_CODE,
} from '../../abi/records.ts'
import { allocate, release } from '../memory/arena.ts'
import { frameCode, framesOpen, NEW_JUMPDEST, NO_JUMPDEST } from '../memory/frames.ts'
import {
  capacityOf,
  clearTable,
  emptyIndex,
  firstBucket,
  growTable,
  hashOfWord,
  indexOf,
  insert,
  isTableFull,
  nextBucket,
  recordAt,
} from '../memory/hash-table.ts'
import { ARENA_SIZE, TABLE_SIZE } from '../memory/layout.ts'
import { session } from '../session-state.ts'
import { isEqual } from '../words/word.ts'
import { beginCodeChange, bringIntoExistence } from './accounts.ts'
import { hashBytes } from './hash-cache.ts'
import { save } from './journal.ts'

/**
 * Code by hash, cached across sessions, since the code of a hash never changes. After a certain amount of new code,
 * unused code is swept and its memory reused for code of the same size class; the host may then have to provide it
 * again. A saved pointer is valid only if the record still has its hash.
 */

// Journaled part: the session that deployed the code, and the session whose diff included it.

const ARENA = memory.data(<i32>ARENA_SIZE, 16)
const TABLE = memory.data(<i32>TABLE_SIZE, 16)
/** Above this size, a new session starts with an empty cache. */
const CACHE_LIMIT: usize = 32 << 20
/** Amount of new code that triggers a sweep. Gas bounds the frequency of sweeps, not the total. */
const ROOM: usize = 32 << 20
/** Sizes are powers of two, so that records are interchangeable within a class. */
const FIRST_CLASS: u32 = 8
/** Free list of each class. */
const FREE = memory.data(32 * 4, 16)
let cachedBytes: usize = CACHE_LIMIT
let dropAt: usize = 0
/** The newest record: a call that needed a delegation waits for the code of its target, and reads both then. */
let newest: usize = 0

export let firstNewCode: usize = 0

/** Call between sessions. */
export function trimCodes(): void {
  firstNewCode = 0
  if (cachedBytes >= CACHE_LIMIT) {
    release(ARENA)
    clearTable(TABLE, ARENA)
    memory.fill(FREE, 0, 32 * 4)
    cachedBytes = 0
    newest = 0
  }
  dropAt = cachedBytes + ROOM
}

/** Sweeps unused code if enough new code was added since the last sweep. Call before the host provides code. */
export function makeRoomForCode(): void {
  if (cachedBytes < dropAt) return
  for (let level: i32 = 0; level < framesOpen(); level++) {
    const bytes = frameCode(level)
    if (bytes !== 0) store<usize>(bytes - CODE_BYTES, 1, CODE_LINK)
  }
  const index = indexOf(TABLE)
  const capacity = capacityOf(TABLE)
  let kept: usize = 0
  for (let position: u32 = 0; position < capacity; position++) {
    const code = load<usize>(index + (position << 2))
    if (code === 0) continue
    if (isNeeded(code)) {
      store<usize>(code, kept, CODE_LINK)
      kept = code
    } else drop(code)
  }
  emptyIndex(TABLE)
  while (kept !== 0) {
    const next = load<usize>(kept, CODE_LINK)
    store<usize>(kept, 0, CODE_LINK)
    insert(TABLE, hashOf(kept), kept)
    kept = next
  }
  dropAt = cachedBytes + ROOM
}

/** The code is running in a frame or newest, or the host's state may not have it yet. */
function isNeeded(code: usize): bool {
  return (
    code === newest ||
    load<usize>(code, CODE_LINK) !== 0 ||
    load<u32>(code, CODE_NEW_IN) === session ||
    load<u32>(code, CODE_DIFFED_IN) === session ||
    load<u32>(code, CODE_LISTED_IN) === session
  )
}

function drop(code: usize): void {
  const sizeClass = classOf(load<u32>(code, CODE_LENGTH))
  memory.fill(code, 0, CODE_BYTES)
  store<usize>(code, load<usize>(FREE + (sizeClass << 2)), CODE_LINK)
  store<usize>(FREE + (sizeClass << 2), code)
  cachedBytes -= (<usize>1) << sizeClass
}

/** Size class for code of this length with its record and table of jump destinations. */
function classOf(length: usize): u32 {
  const size = <u32>(CODE_BYTES + length + CODE_PADDING + length)
  return max<u32>(FIRST_CLASS, 32 - clz<u32>(size - 1))
}

function allocateRecord(sizeClass: u32): usize {
  cachedBytes += (<usize>1) << sizeClass
  const free = load<usize>(FREE + (sizeClass << 2))
  if (free === 0) return allocate(ARENA, (<usize>1) << sizeClass)
  store<usize>(FREE + (sizeClass << 2), load<usize>(free, CODE_LINK))
  return free
}

function hashOf(hash: usize): u64 {
  return hashOfWord(hash, 0)
}

/** 0 if the code is not cached. */
export function findCode(hash: usize): usize {
  let position = firstBucket(TABLE, hashOf(hash))
  let code = recordAt(TABLE, position)
  while (code !== 0 && !isEqual(code, hash)) {
    position = nextBucket(TABLE, position)
    code = recordAt(TABLE, position)
  }
  return code
}

/** A new record; the caller writes the bytes before `finishCode`. */
export function createCode(hash: usize, length: usize): usize {
  if (isTableFull(TABLE)) grow()
  const code = allocateRecord(classOf(length))
  memory.fill(code, 0, CODE_BYTES)
  memory.copy(code, hash, 32)
  store<u32>(code, <u32>length, CODE_LENGTH)
  memory.fill(code + CODE_BYTES + length, 0, CODE_PADDING)
  insert(TABLE, hashOf(code), code)
  newest = code
  return code
}

export function finishCode(code: usize): void {
  store<u32>(code, kindOf(code + CODE_BYTES, load<u32>(code, CODE_LENGTH)), CODE_KIND)
}

function kindOf(bytes: usize, length: u32): u32 {
  if (length === 23 && (load<u32>(bytes) & 0xffffff) === 0x0001ef) return DELEGATION
  return length === 1 && load<u8>(bytes) === 0xef ? MARKER : ORDINARY_CODE
}

function grow(): void {
  const index = indexOf(TABLE)
  const capacity = capacityOf(TABLE)
  growTable(TABLE, ARENA)
  for (let position: u32 = 0; position < capacity; position++) {
    const code = load<usize>(index + (position << 2))
    if (code !== 0) insert(TABLE, hashOf(code), code)
  }
}

/** The code of an account that has any; 0: the host must provide it. */
export function codeOf(account: usize): usize {
  const known = load<usize>(account, ACCOUNT_CODE)
  if (known !== 0 && isEqual(known, account + ACCOUNT_CODE_HASH)) return known
  const code = findCode(account + ACCOUNT_CODE_HASH)
  store<usize>(account, code, ACCOUNT_CODE)
  return code
}

const DIGEST = memory.data(32, 16)

/** Sets the code of an account, which then exists. */
export function setCode(account: usize, bytes: usize, length: usize): void {
  bringIntoExistence(account)
  beginCodeChange(account)
  hashBytes(bytes, length, account + ACCOUNT_CODE_HASH)
  store<u32>(account, <u32>(length !== 0), ACCOUNT_HAS_CODE)
  if (length === 0) {
    store<usize>(account, 0, ACCOUNT_CODE)
    return
  }
  memory.copy(DIGEST, account + ACCOUNT_CODE_HASH, 32)
  let code = findCode(DIGEST)
  if (code === 0) {
    code = createCode(DIGEST, length)
    memory.copy(code + CODE_BYTES, bytes, length)
    finishCode(code)
  }
  store<usize>(account, code, ACCOUNT_CODE)
  markNew(code)
}

/** Includes the code in the next diff, unless an earlier diff of this session included it. */
export function markNew(code: usize): void {
  if (load<u32>(code, CODE_DIFFED_IN) === session) return
  save(code + CODE_NEW_IN)
  store<u32>(code, session, CODE_NEW_IN)
  if (load<u32>(code, CODE_LISTED_IN) === session) return
  store<u32>(code, session, CODE_LISTED_IN)
  store<usize>(code, firstNewCode, CODE_NEXT_NEW)
  firstNewCode = code
}

/** Whether the diff being taken includes a listed code; unlists it. */
export function commitCode(code: usize): bool {
  const isNew = load<u32>(code, CODE_NEW_IN) === session && load<u32>(code, CODE_DIFFED_IN) !== session
  if (isNew) store<u32>(code, session, CODE_DIFFED_IN)
  store<u32>(code, 0, CODE_NEW_IN)
  store<u32>(code, 0, CODE_LISTED_IN)
  return isNew
}

export function dropNewCode(): void {
  firstNewCode = load<usize>(firstNewCode, CODE_NEXT_NEW)
}

/** Builds the table of jump destinations of `code`, which is as long as the code. */
export function markJumpdests(code: usize, length: usize, table: usize): void {
  memory.fill(table, <u8>NO_JUMPDEST, length)
  let at: usize = 0
  while (at < length) {
    const opcode = load<u8>(code + at)
    if (opcode === 0x5b) store<u8>(table + at, <u8>NEW_JUMPDEST)
    else if (opcode >= 0x60 && opcode <= 0x7f) at += <usize>opcode - 0x5f
    at++
  }
}

export function jumpdestsOf(code: usize): usize {
  const known = load<usize>(code, CODE_JUMPDESTS)
  if (known !== 0) return known
  const length = <usize>load<u32>(code, CODE_LENGTH)
  const table = code + CODE_BYTES + length + CODE_PADDING
  markJumpdests(code + CODE_BYTES, length, table)
  store<usize>(code, table, CODE_JUMPDESTS)
  return table
}
