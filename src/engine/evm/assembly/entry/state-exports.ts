// Exports about the state: accounts, slots, code, journal and changes.

import {
  ACCOUNT_BALANCE,
  ACCOUNT_CODE,
  ACCOUNT_CODE_HASH,
  ACCOUNT_EXISTS,
  ACCOUNT_GENERATION,
  ACCOUNT_GENERATION_BEFORE,
  ACCOUNT_HAS_CODE,
  ACCOUNT_HOST_STORAGE,
  ACCOUNT_IS_ALWAYS_WARM,
  ACCOUNT_NATIVE,
  ACCOUNT_NEEDS_MARKER,
  ACCOUNT_NONCE,
  ACCOUNT_PRECOMPILE,
  HOST_STORAGE_EMPTY,
  HOST_STORAGE_USED,
} from '../../abi/records.ts'
import { EXCHANGE } from '../host-data.ts'
import * as Frame from '../memory/frames.ts'
import * as Account from '../state/accounts.ts'
import * as Code from '../state/codes.ts'
import * as Journal from '../state/journal.ts'
import * as Slot from '../state/slots.ts'
import { copyWord, reverseWord, setWord } from '../words/word.ts'

// Accounts. An address is 32 bytes at EXCHANGE, the first 12 zero.

export function findAccount(): usize {
  reverseWord(EXCHANGE, EXCHANGE)
  return Account.findAccount(EXCHANGE)
}

/** Call after `findAccount` returned 0; then set the account with `provideAccount`. */
export function addAccount(precompile: u32, isAlwaysWarm: bool): usize {
  const account = Account.createAccountRecord(EXCHANGE)
  store<u32>(account, precompile, ACCOUNT_PRECOMPILE)
  store<u32>(account, <u32>isAlwaysWarm, ACCOUNT_IS_ALWAYS_WARM)
  return account
}

/**
 * A record that no address finds, for native code. Set its code with `provideAccount`, then name it with `setNative`.
 */
export function addNative(): usize {
  return Account.createNativeRecord()
}

/** @param native record whose code runs for `account`; with `needsMarker` only while its own code is the marker */
export function setNative(account: usize, native: usize, needsMarker: bool): void {
  store<usize>(account, native, ACCOUNT_NATIVE)
  store<u32>(account, <u32>needsMarker, ACCOUNT_NEEDS_MARKER)
}

/** Sets an account from the host's state: code hash as bytes and balance as a word at EXCHANGE. */
export function provideAccount(account: usize, nonce: u64, hasCode: bool): void {
  store<u32>(account, 1, ACCOUNT_EXISTS)
  writeAccount(account, nonce, hasCode)
  Account.commitAccount(account)
}

/** Whether the host's state has storage for an account without code. */
export function provideHasStorage(account: usize, hasSlots: bool): void {
  store<u32>(account, hasSlots ? HOST_STORAGE_USED : HOST_STORAGE_EMPTY, ACCOUNT_HOST_STORAGE)
}

/** For an account without code and nonce, after `provideHasStorage`. */
export function hasStorage(account: usize): bool {
  return Slot.hasStorage(account)
}

/** As `provideAccount`, for a journaled change. */
export function changeAccount(account: usize, nonce: u64, hasCode: bool): void {
  Account.bringIntoExistence(account)
  Account.beginFundsChange(account)
  Account.beginCodeChange(account)
  writeAccount(account, nonce, hasCode)
}

/** Changes nonce and balance only. */
export function changeFunds(account: usize, nonce: u64): void {
  Account.bringIntoExistence(account)
  Account.beginFundsChange(account)
  store<u64>(account, nonce, ACCOUNT_NONCE)
  copyWord(account + ACCOUNT_BALANCE, EXCHANGE + 32)
}

function writeAccount(account: usize, nonce: u64, hasCode: bool): void {
  memory.copy(account + ACCOUNT_CODE_HASH, EXCHANGE, 32)
  copyWord(account + ACCOUNT_BALANCE, EXCHANGE + 32)
  store<u64>(account, nonce, ACCOUNT_NONCE)
  store<u32>(account, <u32>hasCode, ACCOUNT_HAS_CODE)
  store<usize>(account, 0, ACCOUNT_CODE)
}

/** Removes the account and its storage. */
export function removeAccount(account: usize): void {
  Account.clearStorageOf(account)
  store<u32>(account, 0, ACCOUNT_EXISTS)
  Account.beginFundsChange(account)
  store<u64>(account, 0, ACCOUNT_NONCE)
  setWord(account + ACCOUNT_BALANCE, 0)
  Account.beginCodeChange(account)
  Account.removeCode(account)
}

export function clearStorage(account: usize): void {
  Account.clearStorageOf(account)
}

export function warmAccount(account: usize): void {
  Account.warmAccount(account)
}

// Slots. A key is 32 bytes at EXCHANGE.

export function slotOf(account: usize): usize {
  reverseWord(EXCHANGE, EXCHANGE)
  return Slot.slotOf(account, EXCHANGE)
}

export function needsValue(slot: usize): bool {
  return Slot.needsValue(slot)
}

/** The value is a word at EXCHANGE. */
export function provideValue(slot: usize): void {
  Slot.provideValue(slot, EXCHANGE)
}

/** Address of the current value, a word. */
export function currentValue(slot: usize): usize {
  return Slot.currentValue(slot)
}

/** The value is a word at EXCHANGE. */
export function changeValue(slot: usize): void {
  Slot.setValue(slot, EXCHANGE)
}

export function warmSlot(slot: usize): void {
  Slot.warmSlot(slot)
}

// Code. A hash is 32 bytes at EXCHANGE.

export function findCode(): usize {
  return Code.findCode(EXCHANGE)
}

/** Returns the address for the code bytes, to be written before `finishCode`. */
export function addCode(size: usize): usize {
  Code.makeRoomForCode()
  return Code.createCode(EXCHANGE, size)
}

export function finishCode(code: usize): void {
  Code.finishCode(code)
}

/** Includes the code in the next diff. */
export function markNewCode(code: usize): void {
  Code.markNew(code)
}

// The journal.

export function journalLength(): u32 {
  return Journal.journalLength
}

export function revertTo(length: u32): void {
  Journal.revertTo(length)
  Frame.noFrames()
}

export function clearJournal(): void {
  Journal.clearJournal()
}

// Changes since the last diff. Slots first, then accounts.

/** The next changed slot; its key and value as bytes are at EXCHANGE. 0: no more. */
export function takeSlot(): usize {
  let slot = Slot.firstDirtySlot
  while (slot !== 0) {
    Slot.dropDirtySlot()
    if (Slot.commitSlot(slot)) {
      reverseWord(EXCHANGE, slot)
      reverseWord(EXCHANGE + 32, Slot.currentValue(slot))
      return slot
    }
    slot = Slot.firstDirtySlot
  }
  return 0
}

/** The next written account, to be followed by `commitAccount`. 0: no more. */
export function nextAccount(): usize {
  const account = Account.firstDirtyAccount
  if (account !== 0) Account.dropDirtyAccount()
  return account
}

export function commitAccount(account: usize): void {
  if (load<u32>(account, ACCOUNT_GENERATION) !== load<u32>(account, ACCOUNT_GENERATION_BEFORE)) {
    Slot.commitClearedSlots(account)
  }
  Account.commitAccount(account)
}

/** The next deployed code. 0: no more. */
export function takeCode(): usize {
  let code = Code.firstNewCode
  while (code !== 0) {
    Code.dropNewCode()
    if (Code.commitCode(code)) return code
    code = Code.firstNewCode
  }
  return 0
}

/** Whether any code was deployed since the last diff, reverted or not. */
export function hasNewCode(): bool {
  return Code.firstNewCode !== 0
}
