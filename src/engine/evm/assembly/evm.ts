// The module that `engine/evm/evm.ts` loads: the whole of what the host may call. Pointers are addresses in the
// module's memory; words are 32 bytes, the lowest first, unless "bytes" is said.
import * as Account from './accounts.ts'
import { bufferFor, release } from './arena.ts'
import * as Code from './codes.ts'
import * as Cold from './cold-accesses.ts'
import * as Ending from './endings.ts'
import { SPURIOUS_DRAGON, setFork } from './forks.ts'
import * as Frame from './frames.ts'
import { defineRules } from './gas-table.ts'
import { setSeed } from './hash-table.ts'
import { initializeHeap } from './heap.ts'
import * as Host from './host-data.ts'
import { faultyOpcode, setExpByteGas } from './interpreter.ts'
import * as Journal from './journal.ts'
import * as Log from './logs.ts'
import * as Message from './message.ts'
import { nextSession, nextTransaction, refund, SESSION_ARENA, setRefund, TRANSACTION_ARENA } from './session-state.ts'
import * as Slot from './slots.ts'
import * as Status from './status.ts'
import { clearTransient } from './transient.ts'
import { copyWord, reverseWord, setWord } from './word.ts'

/** A few words for passing values either way. */
export const EXCHANGE = memory.data(256, 16)
export const EXIT_WORD: usize = Status.EXIT_WORD
/** Where the words of `host-data.ts` are. */
export const ENVIRONMENT: usize = Host.ENVIRONMENT

/** Once for each instance. */
export function initialize(seed: u64): void {
  setSeed(seed)
  initializeHeap()
}

/** Forgets everything but cached code. */
export function openSession(forkNumber: u32): void {
  setFork(forkNumber)
  defineRules()
  setExpByteGas(forkNumber >= SPURIOUS_DRAGON)
  nextSession()
  release(SESSION_ARENA)
  release(TRANSACTION_ARENA)
  Journal.releaseJournal()
  Account.clearAccounts()
  Slot.clearSlots()
  Cold.forgetColdAccesses()
  Code.trimCodes()
  clearTransient()
  Log.clearLogs()
  Frame.noFrames()
  Host.setKnownBlock(-1)
}

export function memoryBytes(): usize {
  return (<usize>memory.size()) << 16
}

// Accounts. An address is 32 bytes at EXCHANGE, the first 12 zero.

export function findAccount(): usize {
  reverseWord(EXCHANGE, EXCHANGE)
  return Account.findAccount(EXCHANGE)
}

/** Call it after `findAccount` found none. Then what is there is written with `provideAccount`. */
export function addAccount(precompile: u32, isAlwaysWarm: bool): usize {
  const account = Account.createAccountRecord(EXCHANGE)
  store<u32>(account, precompile, Account.PRECOMPILE)
  store<u32>(account, <u32>isAlwaysWarm, Account.IS_ALWAYS_WARM)
  return account
}

/** What is in the host's state: code hash as bytes and balance as a word at EXCHANGE. */
export function provideAccount(account: usize, nonce: u64, hasCode: bool): void {
  store<u32>(account, 1, Account.EXISTS)
  writeAccount(account, nonce, hasCode)
  Account.settleAccount(account)
}

/** Whether the host's state has slots of an account without code. */
export function provideHasStorage(account: usize, hasSlots: bool): void {
  store<u32>(account, hasSlots ? Account.HAS_SOME : Account.HAS_NONE, Account.HOST_STORAGE)
}

/** Of an account without code and nonce, once the host has said whether it has slots. */
export function hasStorage(account: usize): bool {
  return Slot.hasStorage(account)
}

/** The same for a change that is under the journal. */
export function changeAccount(account: usize, nonce: u64, hasCode: bool): void {
  Account.bringIntoExistence(account)
  Account.beginFundsChange(account)
  Account.beginCodeChange(account)
  writeAccount(account, nonce, hasCode)
}

/** Nonce and balance only. */
export function changeFunds(account: usize, nonce: u64): void {
  Account.bringIntoExistence(account)
  Account.beginFundsChange(account)
  store<u64>(account, nonce, Account.NONCE)
  copyWord(account + Account.BALANCE, EXCHANGE + 32)
}

function writeAccount(account: usize, nonce: u64, hasCode: bool): void {
  memory.copy(account + Account.CODE_HASH, EXCHANGE, 32)
  copyWord(account + Account.BALANCE, EXCHANGE + 32)
  store<u64>(account, nonce, Account.NONCE)
  store<u32>(account, <u32>hasCode, Account.HAS_CODE)
  store<usize>(account, 0, Account.CODE)
}

/** The account goes, and its storage. */
export function removeAccount(account: usize): void {
  Account.clearStorageOf(account)
  store<u32>(account, 0, Account.EXISTS)
  Account.beginFundsChange(account)
  store<u64>(account, 0, Account.NONCE)
  setWord(account + Account.BALANCE, 0)
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

/** Where the present value is, a word. */
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

/** Where the host writes the bytes, before `finishCode`. */
export function addCode(size: usize): usize {
  Code.makeRoomForCode()
  return Code.createCode(EXCHANGE, size)
}

export function finishCode(code: usize): void {
  Code.finishCode(code)
}

/** The next diff holds it. */
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

// What changed since the last time. Slots first, then accounts.

/** The next changed slot; its key and value as bytes are at EXCHANGE. 0: no more. */
export function takeSlot(): usize {
  let slot = Slot.firstDirtySlot
  while (slot !== 0) {
    Slot.dropDirtySlot()
    if (Slot.settleSlot(slot)) {
      reverseWord(EXCHANGE, slot)
      reverseWord(EXCHANGE + 32, Slot.currentValue(slot))
      return slot
    }
    slot = Slot.firstDirtySlot
  }
  return 0
}

/** The next account that was written. 0: no more. Then `settleAccount`. */
export function nextAccount(): usize {
  const account = Account.firstDirtyAccount
  if (account !== 0) Account.dropDirtyAccount()
  return account
}

export function settleAccount(account: usize): void {
  if (load<u32>(account, Account.GENERATION) !== load<u32>(account, Account.GENERATION_BEFORE)) {
    Slot.settleClearedSlots(account)
  }
  Account.settleAccount(account)
}

/** The next new code. 0: no more. */
export function takeCode(): usize {
  let code = Code.firstNewCode
  while (code !== 0) {
    Code.dropNewCode()
    if (Code.settleCode(code)) return code
    code = Code.firstNewCode
  }
  return 0
}

/** Whether any code was made since the last diff, taken back or not. */
export function hasNewCode(): bool {
  return Code.firstNewCode !== 0
}

// Messages.

/** Before anything of a message is done, warming included. */
export function beginTransaction(): void {
  nextTransaction()
  release(TRANSACTION_ARENA)
  clearTransient()
  Log.clearLogs()
  Account.clearListedAccounts()
  Cold.forgetColdAccesses()
  setRefund(0)
  Frame.noFrames()
  Message.forgetMessage()
}

/** Room for call data and the blob hashes behind it. */
export function reserveInput(size: usize): usize {
  return bufferFor(Host.INPUT_BUFFER, size)
}

/**
 * The message, for `proceed`. `to`: of a creation the account it makes. The value is a word at EXCHANGE; call data
 * is in the input buffer.
 */
export function setMessage(
  from: usize,
  to: usize,
  creates: bool,
  gas: i64,
  size: usize,
  blobHashes: usize,
  tracesTransfers: bool,
): void {
  Message.setMessage(from, to, creates, gas, size, blobHashes, tracesTransfers, EXCHANGE)
}

/** Starts the message or goes on with it; answers why the host is needed. */
export function proceed(): u32 {
  return Message.proceed()
}

// What an exit is about.

export function exitAccount(): usize {
  return Status.exitAccount
}

/** The precompile that is to run: its number, where the input is, how long it is, its gas. */
export function precompile(): u32 {
  return load<u32>(Status.exitAccount, Account.PRECOMPILE)
}

export function inputAt(): usize {
  return load<usize>(Frame.frame, Frame.INPUT)
}

export function inputLength(): usize {
  return load<usize>(Frame.frame, Frame.INPUT_SIZE)
}

export function gasLeft(): i64 {
  return Frame.gasLeft
}

/** Account. */
export function frameCaller(): usize {
  return load<usize>(Frame.frame, Frame.CALLER)
}

/** Account. */
export function frameSelf(): usize {
  return load<usize>(Frame.frame, Frame.SELF)
}

/** Word. */
export function frameValue(): usize {
  return Frame.frame + Frame.VALUE
}

export function frameIsStatic(): bool {
  return load<u32>(Frame.frame, Frame.IS_STATIC) !== 0
}

/** Where the output of a precompile goes, before `finishPrecompile`. */
export function reserveOutput(size: usize): usize {
  return bufferFor(Host.RETURN_BUFFER, size)
}

/** Ends the precompile's frame; afterwards `proceed`, unless the answer is that the message ended. */
export function finishPrecompile(status: u32, gasUsed: i64, outputSize: usize): u32 {
  return Message.finishPrecompile(status, gasUsed, outputSize)
}

/** The hash of the block that BLOCKHASH asked for, 32 bytes at EXCHANGE. */
export function provideBlockHash(number: i64): void {
  Host.setKnownBlock(number)
  copyWord(Host.KNOWN_BLOCK_HASH, EXCHANGE)
}

// What came out.

export function result(): u32 {
  return Ending.result
}

export function invalidOpcode(): u32 {
  return faultyOpcode
}

export function refunds(): i64 {
  return refund
}

/** See `gas-need.ts`. */
export function neededGas(): i64 {
  return Message.neededGas()
}

export function outputAt(): usize {
  return load<usize>(Host.RETURN_BUFFER)
}

export function outputLength(): usize {
  return Host.returnSize
}

export function lastLog(): usize {
  return Log.lastLog
}

/** The account that paid the cold price last; its record names the one before. 0: none. */
export function lastColdAccount(): usize {
  return Cold.lastColdAccount
}

/** The same for slots; the key as bytes is written to EXCHANGE by `slotKey`. */
export function lastColdSlot(): usize {
  return Cold.lastColdSlot
}

/** Writes a slot's key to EXCHANGE, as bytes. */
export function slotKey(slot: usize): void {
  reverseWord(EXCHANGE, slot)
}

export function emittedLogs(): u32 {
  return Log.emittedLogs
}

/** The next account that goes when the transaction ends: destroyed, or touched and empty. 0: no more. */
export function nextEnded(): usize {
  let account = Account.firstListedAccount
  while (account !== 0) {
    Account.dropListedAccount()
    if (Account.isDestroyed(account) || (Account.isTouched(account) && Account.isEmptyAccount(account))) return account
    account = Account.firstListedAccount
  }
  return 0
}

/** Of an account that `nextEnded` gave. */
export function isDestroyed(account: usize): bool {
  return Account.isDestroyed(account)
}
