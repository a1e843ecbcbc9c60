import { frameCode, framesOpen } from '../execution/frames.ts'
import { allocate, release } from '../memory/arena.ts'
import {
  capacityOf,
  clearTable,
  emptyIndex,
  firstPlace,
  growTable,
  hashOfWord,
  indexOf,
  insert,
  isTableFull,
  nextPlace,
  recordAt,
} from '../memory/hash-table.ts'
import { ARENA_SIZE, TABLE_SIZE } from '../memory/layout.ts'
import { isEqual } from '../words/word.ts'
import { beginCodeChange, bringIntoExistence, CODE, CODE_HASH, HAS_CODE } from './accounts.ts'
import { hashBytes } from './hashing.ts'
import { remember } from './journal.ts'
import { session } from './session-state.ts'

/**
 * Code by its hash. Kept from session to session: what a hash stands for never changes. The host may be asked for the same
 * code again, since what nothing needs is dropped when there is much of it; the memory of a record then serves another of
 * the same class. So whoever has kept a place looks whether the record there still has the hash.
 */

export const LENGTH: usize = 32
/** Where the bits for each byte of the code are; 0 until the code runs. */
export const JUMPDESTS: usize = 36
/** EIP-7702 */
export const IS_DELEGATION: usize = 40
/** Of a record in use only while others are dropped; of a free one the next free one of its class. */
const LINK: usize = 44
// Part: the session that wrote the code, and the one that has handed it out in a diff.
const NEW_IN: usize = 48
const TAKEN_IN: usize = 52
// Not under the journal.
const LISTED_IN: usize = 88
export const NEXT_NEW: usize = 92
/** Where the code itself begins. */
export const BYTES: usize = 96
/** Zeros behind the code: STOP, and what a PUSH at the end reads. */
export const PADDING: usize = 64

const ARENA = memory.data(<i32>ARENA_SIZE, 16)
const TABLE = memory.data(<i32>TABLE_SIZE, 16)
/** From here on a new session begins with nothing cached. */
const CACHE_LIMIT: usize = 32 << 20
/** So much comes in before what nothing needs is dropped: gas bounds how often, not how much there is in all. */
const ROOM: usize = 32 << 20
/** Sizes are powers of two, so that one record fits where another was. */
const FIRST_CLASS: u32 = 8
/** Free records of each class. */
const FREE = memory.data(32 * 4, 16)
let cachedBytes: usize = CACHE_LIMIT
let dropAt: usize = 0

export let firstNewCode: usize = 0

/** For the next session. */
export function trimCodes(): void {
  firstNewCode = 0
  if (cachedBytes >= CACHE_LIMIT) {
    release(ARENA)
    clearTable(TABLE, ARENA)
    memory.fill(FREE, 0, 32 * 4)
    cachedBytes = 0
  }
  dropAt = cachedBytes + ROOM
}

/** Drops what nothing needs when much came in since the last time. For the host, before it brings a code. */
export function makeRoomForCode(): void {
  if (cachedBytes < dropAt) return
  for (let level: i32 = 0; level < framesOpen(); level++) {
    const bytes = frameCode(level)
    if (bytes !== 0) store<usize>(bytes - BYTES, 1, LINK)
  }
  const index = indexOf(TABLE)
  const capacity = capacityOf(TABLE)
  let kept: usize = 0
  for (let place: u32 = 0; place < capacity; place++) {
    const code = load<usize>(index + (place << 2))
    if (code === 0) continue
    if (isNeeded(code)) {
      store<usize>(code, kept, LINK)
      kept = code
    } else drop(code)
  }
  emptyIndex(TABLE)
  while (kept !== 0) {
    const next = load<usize>(kept, LINK)
    store<usize>(kept, 0, LINK)
    insert(TABLE, hashOf(kept), kept)
    kept = next
  }
  dropAt = cachedBytes + ROOM
}

/** A frame runs it, or the host's state may not have it yet. */
function isNeeded(code: usize): bool {
  return (
    load<usize>(code, LINK) !== 0 ||
    load<u32>(code, NEW_IN) === session ||
    load<u32>(code, TAKEN_IN) === session ||
    load<u32>(code, LISTED_IN) === session
  )
}

function drop(code: usize): void {
  const sizeClass = classOf(load<u32>(code, LENGTH))
  memory.fill(code, 0, BYTES)
  store<usize>(code, load<usize>(FREE + (sizeClass << 2)), LINK)
  store<usize>(FREE + (sizeClass << 2), code)
  cachedBytes -= (<usize>1) << sizeClass
}

/** The power of two that holds a code of this length with its record and its bits. */
function classOf(length: usize): u32 {
  const size = <u32>(BYTES + length + PADDING + (length >> 3) + 1)
  return max<u32>(FIRST_CLASS, 32 - clz<u32>(size - 1))
}

function allocateRecord(sizeClass: u32): usize {
  cachedBytes += (<usize>1) << sizeClass
  const free = load<usize>(FREE + (sizeClass << 2))
  if (free === 0) return allocate(ARENA, (<usize>1) << sizeClass)
  store<usize>(FREE + (sizeClass << 2), load<usize>(free, LINK))
  return free
}

function hashOf(hash: usize): u64 {
  return hashOfWord(hash, 0)
}

/** 0 where the code is not cached. */
export function findCode(hash: usize): usize {
  let place = firstPlace(TABLE, hashOf(hash))
  let code = recordAt(TABLE, place)
  while (code !== 0 && !isEqual(code, hash)) {
    place = nextPlace(TABLE, place)
    code = recordAt(TABLE, place)
  }
  return code
}

/** A record with room for the bytes, which the caller writes before `finishCode`. */
export function createCode(hash: usize, length: usize): usize {
  if (isTableFull(TABLE)) grow()
  const code = allocateRecord(classOf(length))
  memory.fill(code, 0, BYTES)
  memory.copy(code, hash, 32)
  store<u32>(code, <u32>length, LENGTH)
  memory.fill(code + BYTES + length, 0, PADDING)
  insert(TABLE, hashOf(code), code)
  return code
}

export function finishCode(code: usize): void {
  const bytes = code + BYTES
  const isDelegation = load<u32>(code, LENGTH) === 23 && (load<u32>(bytes) & 0xffffff) === 0x0001ef
  store<u32>(code, <u32>isDelegation, IS_DELEGATION)
}

function grow(): void {
  const index = indexOf(TABLE)
  const capacity = capacityOf(TABLE)
  growTable(TABLE, ARENA)
  for (let place: u32 = 0; place < capacity; place++) {
    const code = load<usize>(index + (place << 2))
    if (code !== 0) insert(TABLE, hashOf(code), code)
  }
}

/** The code of an account that has some; 0: the host has to provide it. */
export function codeOf(account: usize): usize {
  const known = load<usize>(account, CODE)
  if (known !== 0 && isEqual(known, account + CODE_HASH)) return known
  const code = findCode(account + CODE_HASH)
  store<usize>(account, code, CODE)
  return code
}

const DIGEST = memory.data(32, 16)

/** Gives an account its code; the account exists then. */
export function setCode(account: usize, bytes: usize, length: usize): void {
  bringIntoExistence(account)
  beginCodeChange(account)
  hashBytes(bytes, length, account + CODE_HASH)
  store<u32>(account, <u32>(length !== 0), HAS_CODE)
  if (length === 0) {
    store<usize>(account, 0, CODE)
    return
  }
  memory.copy(DIGEST, account + CODE_HASH, 32)
  let code = findCode(DIGEST)
  if (code === 0) {
    code = createCode(DIGEST, length)
    memory.copy(code + BYTES, bytes, length)
    finishCode(code)
  }
  store<usize>(account, code, CODE)
  markNew(code)
}

/** The next diff holds the code, unless this session handed it out before. */
export function markNew(code: usize): void {
  if (load<u32>(code, TAKEN_IN) === session) return
  remember(code + NEW_IN)
  store<u32>(code, session, NEW_IN)
  if (load<u32>(code, LISTED_IN) === session) return
  store<u32>(code, session, LISTED_IN)
  store<usize>(code, firstNewCode, NEXT_NEW)
  firstNewCode = code
}

/** Whether the diff that is being made holds a listed code. Ends its being listed. */
export function settleCode(code: usize): bool {
  const isNew = load<u32>(code, NEW_IN) === session && load<u32>(code, TAKEN_IN) !== session
  if (isNew) store<u32>(code, session, TAKEN_IN)
  store<u32>(code, 0, NEW_IN)
  store<u32>(code, 0, LISTED_IN)
  return isNew
}

export function dropNewCode(): void {
  firstNewCode = load<usize>(firstNewCode, NEXT_NEW)
}

/** One bit for each byte at `code`, set where a jump may land. `bitmap`: an eighth of the length and a byte. */
export function markJumpdests(code: usize, length: usize, bitmap: usize): void {
  memory.fill(bitmap, 0, (length >> 3) + 1)
  let at: usize = 0
  while (at < length) {
    const opcode = load<u8>(code + at)
    if (opcode === 0x5b) {
      const place = bitmap + (at >> 3)
      store<u8>(place, load<u8>(place) | (1 << (<u8>at & 7)))
    } else if (opcode >= 0x60 && opcode <= 0x7f) {
      at += <usize>opcode - 0x5f
    }
    at++
  }
}

export function jumpdestsOf(code: usize): usize {
  const known = load<usize>(code, JUMPDESTS)
  if (known !== 0) return known
  const length = <usize>load<u32>(code, LENGTH)
  const bitmap = code + BYTES + length + PADDING
  markJumpdests(code + BYTES, length, bitmap)
  store<usize>(code, bitmap, JUMPDESTS)
  return bitmap
}
