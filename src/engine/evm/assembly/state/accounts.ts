import { SPURIOUS_DRAGON } from '../../../../chain/forks/ordinals.ts'
import {
  ACCOUNT_BALANCE,
  ACCOUNT_BALANCE_BEFORE,
  ACCOUNT_CODE,
  ACCOUNT_CODE_HASH,
  ACCOUNT_CODE_HASH_BEFORE,
  ACCOUNT_CREATED_IN,
  ACCOUNT_DESTROYED_IN,
  ACCOUNT_EXISTED,
  ACCOUNT_EXISTS,
  ACCOUNT_GENERATION,
  ACCOUNT_GENERATION_BEFORE,
  ACCOUNT_HAS_CODE,
  ACCOUNT_IS_ALWAYS_WARM,
  ACCOUNT_IS_DIRTY,
  ACCOUNT_LISTED_IN,
  ACCOUNT_NEXT_DIRTY,
  ACCOUNT_NEXT_LISTED,
  ACCOUNT_NONCE,
  ACCOUNT_NONCE_BEFORE,
  ACCOUNT_SIZE,
  ACCOUNT_TOUCHED_IN,
  ACCOUNT_WARM_IN,
} from '../../abi/records.ts'
import { allocate } from '../memory/arena.ts'
import {
  capacityOf,
  clearTable,
  firstBucket,
  growTable,
  hashOfAddress,
  indexOf,
  insert,
  isTableFull,
  nextBucket,
  recordAt,
} from '../memory/hash-table.ts'
import { TABLE_SIZE } from '../memory/layout.ts'
import { fork } from '../session-rules.ts'
import { SESSION_ARENA, transaction } from '../session-state.ts'
import { addWords, copyWord, isZero, subtractWords, sumOverflows, WORD } from '../words/word.ts'
import { save } from './journal.ts'

/**
 * Accounts loaded by a session, one record each, which never moves. The host provides the state before the session; the
 * members that execution changes are journaled.
 */

// Parts of a record that the journal saves and restores as a whole.
const FUNDS_PART = ACCOUNT_BALANCE
const CODE_PART = ACCOUNT_CODE_HASH
const STATUS_PART = ACCOUNT_EXISTS

/** Exception of EIP-161: this account stays touched when its frame fails (Yellow Paper, appendix K). */
const RIPEMD160: u64 = 3

const TABLE = memory.data(<i32>TABLE_SIZE, 16)
/** Written since the last diff. */
export let firstDirtyAccount: usize = 0
/** Touched, created or destroyed in this transaction. */
export let firstListedAccount: usize = 0
let generations: u32 = 0

export function clearAccounts(): void {
  clearTable(TABLE, SESSION_ARENA)
  firstDirtyAccount = 0
  firstListedAccount = 0
  generations = 0
}

export function clearListedAccounts(): void {
  firstListedAccount = 0
}

export function dropListedAccount(): void {
  firstListedAccount = load<usize>(firstListedAccount, ACCOUNT_NEXT_LISTED)
}

export function dropDirtyAccount(): void {
  firstDirtyAccount = load<usize>(firstDirtyAccount, ACCOUNT_NEXT_DIRTY)
}

/** The account at the low 160 bits of a word; 0: the host must provide it. */
export function findAccount(address: usize): usize {
  const low = load<u64>(address)
  const middle = load<u64>(address, 8)
  const high = load<u64>(address, 16) & 0xffffffff
  let position = firstBucket(TABLE, hashOfAddress(address))
  let account = recordAt(TABLE, position)
  while (
    account !== 0 &&
    (load<u64>(account) !== low || load<u64>(account, 8) !== middle || load<u64>(account, 16) !== high)
  ) {
    position = nextBucket(TABLE, position)
    account = recordAt(TABLE, position)
  }
  return account
}

/** A new record for an address, as a nonexistent account. */
export function createAccountRecord(address: usize): usize {
  if (isTableFull(TABLE)) grow()
  const account = emptyRecord()
  store<u64>(account, load<u64>(address))
  store<u64>(account, load<u64>(address, 8), 8)
  store<u64>(account, load<u64>(address, 16) & 0xffffffff, 16)
  insert(TABLE, hashOfAddress(account), account)
  return account
}

/** A new record without an address, for code that runs for other accounts. Always warm. */
export function createNativeRecord(): usize {
  const account = emptyRecord()
  store<u32>(account, 1, ACCOUNT_IS_ALWAYS_WARM)
  return account
}

function emptyRecord(): usize {
  const account = allocate(SESSION_ARENA, ACCOUNT_SIZE)
  memory.fill(account, 0, ACCOUNT_SIZE)
  removeCode(account)
  memory.copy(account + ACCOUNT_CODE_HASH_BEFORE, EMPTY_CODE_HASH, WORD)
  return account
}

/** keccak-256 of no bytes. */
const EMPTY_CODE_HASH = memory.data<u8>([
  0xc5, 0xd2, 0x46, 0x01, 0x86, 0xf7, 0x23, 0x3c, 0x92, 0x7e, 0x7d, 0xb2, 0xdc, 0xc7, 0x03, 0xc0, 0xe5, 0x00, 0xb6,
  0x53, 0xca, 0x82, 0x27, 0x3b, 0x7b, 0xfa, 0xd8, 0x04, 0x5d, 0x85, 0xa4, 0x70,
])

/** Removes the code; the caller saves the previous one. */
export function removeCode(account: usize): void {
  memory.copy(account + ACCOUNT_CODE_HASH, EMPTY_CODE_HASH, WORD)
  store<u32>(account, 0, ACCOUNT_HAS_CODE)
  store<usize>(account, 0, ACCOUNT_CODE)
}

function grow(): void {
  const index = indexOf(TABLE)
  const capacity = capacityOf(TABLE)
  growTable(TABLE, SESSION_ARENA)
  for (let position: u32 = 0; position < capacity; position++) {
    const account = load<usize>(index + (position << 2))
    if (account !== 0) insert(TABLE, hashOfAddress(account), account)
  }
}

/** Makes the current values the base of the next diff. */
export function commitAccount(account: usize): void {
  store<u32>(account, load<u32>(account, ACCOUNT_EXISTS), ACCOUNT_EXISTED)
  store<u32>(account, load<u32>(account, ACCOUNT_GENERATION), ACCOUNT_GENERATION_BEFORE)
  copyWord(account + ACCOUNT_BALANCE_BEFORE, account + ACCOUNT_BALANCE)
  store<u64>(account, load<u64>(account, ACCOUNT_NONCE), ACCOUNT_NONCE_BEFORE)
  memory.copy(account + ACCOUNT_CODE_HASH_BEFORE, account + ACCOUNT_CODE_HASH, WORD)
  store<u32>(account, 0, ACCOUNT_IS_DIRTY)
}

export function markDirty(account: usize): void {
  if (load<u32>(account, ACCOUNT_IS_DIRTY) !== 0) return
  store<u32>(account, 1, ACCOUNT_IS_DIRTY)
  store<usize>(account, firstDirtyAccount, ACCOUNT_NEXT_DIRTY)
  firstDirtyAccount = account
}

function list(account: usize): void {
  if (load<u32>(account, ACCOUNT_LISTED_IN) === transaction) return
  store<u32>(account, transaction, ACCOUNT_LISTED_IN)
  store<usize>(account, firstListedAccount, ACCOUNT_NEXT_LISTED)
  firstListedAccount = account
}

export function exists(account: usize): bool {
  return load<u32>(account, ACCOUNT_EXISTS) !== 0
}

export function hasCode(account: usize): bool {
  return load<u32>(account, ACCOUNT_HAS_CODE) !== 0
}

/** EIP-161; true for a nonexistent account. */
export function isEmptyAccount(account: usize): bool {
  return (
    load<u32>(account, ACCOUNT_HAS_CODE) === 0 &&
    load<u64>(account, ACCOUNT_NONCE) === 0 &&
    isZero(account + ACCOUNT_BALANCE)
  )
}

/** Whether a call to it pays for a new account: nonexistent, or empty (EIP-161). */
export function isDead(account: usize): bool {
  return fork >= SPURIOUS_DRAGON ? isEmptyAccount(account) : !exists(account)
}

export function beginStatusChange(account: usize): void {
  markDirty(account)
  save(account + STATUS_PART)
}

export function beginFundsChange(account: usize): void {
  markDirty(account)
  save(account + FUNDS_PART)
}

export function beginCodeChange(account: usize): void {
  markDirty(account)
  save(account + CODE_PART)
}

/** Creates an empty account if it does not exist. */
export function bringIntoExistence(account: usize): void {
  if (exists(account)) return
  beginStatusChange(account)
  store<u32>(account, 1, ACCOUNT_EXISTS)
}

/** EIP-161: removed at the end of the transaction if empty. */
export function touch(account: usize): void {
  if (load<u32>(account, ACCOUNT_TOUCHED_IN) === transaction) return
  const staysTouched = load<u64>(account) === RIPEMD160 && (load<u64>(account, 8) | load<u64>(account, 16)) === 0
  if (!staysTouched) save(account + STATUS_PART)
  store<u32>(account, transaction, ACCOUNT_TOUCHED_IN)
  list(account)
}

/** Clears all storage. */
export function clearStorageOf(account: usize): void {
  beginStatusChange(account)
  store<u32>(account, ++generations, ACCOUNT_GENERATION)
}

export function markCreated(account: usize): void {
  beginStatusChange(account)
  store<u32>(account, transaction, ACCOUNT_CREATED_IN)
  list(account)
}

export function markDestroyed(account: usize): void {
  beginStatusChange(account)
  store<u32>(account, transaction, ACCOUNT_DESTROYED_IN)
  list(account)
}

export function wasCreatedNow(account: usize): bool {
  return load<u32>(account, ACCOUNT_CREATED_IN) === transaction
}

export function isDestroyed(account: usize): bool {
  return load<u32>(account, ACCOUNT_DESTROYED_IN) === transaction
}

export function isTouched(account: usize): bool {
  return load<u32>(account, ACCOUNT_TOUCHED_IN) === transaction
}

export function isWarmAccount(account: usize): bool {
  return load<u32>(account, ACCOUNT_WARM_IN) === transaction || load<u32>(account, ACCOUNT_IS_ALWAYS_WARM) !== 0
}

/** Makes it warm (EIP-2929). */
export function warmAccount(account: usize): void {
  save(account + STATUS_PART)
  store<u32>(account, transaction, ACCOUNT_WARM_IN)
}

export function setNonce(account: usize, nonce: u64): void {
  beginFundsChange(account)
  store<u64>(account, nonce, ACCOUNT_NONCE)
}

/** Whether the recipient of a transfer would have 2^256 wei or more. */
export function overflowsBalance(from: usize, to: usize, value: usize): bool {
  return from !== to && sumOverflows(to + ACCOUNT_BALANCE, value)
}

/**
 * Transfers `value`; a zero value only touches the recipient, unless the fork creates empty accounts (before EIP-161).
 * The balance of the recipient saturates: only SELFDESTRUCT gets there, other transfers fail before.
 */
export function transfer(from: usize, to: usize, value: usize): void {
  const isNothing = isZero(value)
  if (!isNothing) {
    beginFundsChange(from)
    subtractWords(from + ACCOUNT_BALANCE, from + ACCOUNT_BALANCE, value)
    beginFundsChange(to)
    if (overflowsBalance(from, to, value)) memory.fill(to + ACCOUNT_BALANCE, 0xff, WORD)
    else addWords(to + ACCOUNT_BALANCE, to + ACCOUNT_BALANCE, value)
  }
  touch(to)
  if (!isNothing || fork < SPURIOUS_DRAGON) bringIntoExistence(to)
}
