// What the host may do with a message: begin it, let it go on, bring what it stopped for, and read what came out.

import { ACCOUNT_PRECOMPILE } from '../abi/records.ts'
import * as Ending from './execution/endings.ts'
import * as Frame from './execution/frames.ts'
import * as Message from './execution/message.ts'
import * as Exits from './exits.ts'
import * as Host from './host-data.ts'
import { EXCHANGE } from './host-data.ts'
import { faultyOpcode } from './interpreter.ts'
import { bufferFor, release } from './memory/arena.ts'
import * as Account from './state/accounts.ts'
import * as Cold from './state/cold-accesses.ts'
import * as Log from './state/logs.ts'
import { nextTransaction, refund, setRefund, TRANSACTION_ARENA } from './state/session-state.ts'
import { clearTransient } from './state/transient.ts'
import { copyWord, reverseWord } from './words/word.ts'

/** Before anything of a message is done, warming included. */
export function beginTransaction(): void {
  nextTransaction()
  release(TRANSACTION_ARENA)
  clearTransient()
  Log.clearLogs()
  Account.clearListedAccounts()
  Cold.clearColdAccesses()
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
  return Exits.exitAccount
}

/** The precompile that is to run: its number, where the input is, how long it is, its gas. */
export function precompile(): u32 {
  return load<u32>(Exits.exitAccount, ACCOUNT_PRECOMPILE)
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
