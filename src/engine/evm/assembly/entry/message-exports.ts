// Exports about messages: start, resume, respond to exits, and read results.

import { ACCOUNT_PRECOMPILE } from '../../abi/records.ts'
import * as Ending from '../execution/endings.ts'
import * as GasNeed from '../execution/gas-need.ts'
import * as Exits from '../exits.ts'
import * as Host from '../host-data.ts'
import { EXCHANGE } from '../host-data.ts'
import { bufferFor, release } from '../memory/arena.ts'
import * as Frame from '../memory/frames.ts'
import { nextTransaction, refund, setRefund, TRANSACTION_ARENA } from '../session-state.ts'
import * as Account from '../state/accounts.ts'
import * as Cold from '../state/cold-accesses.ts'
import * as Log from '../state/logs.ts'
import { clearTransient } from '../state/transient.ts'
import { copyWord, reverseWord } from '../words/word.ts'
import { faultyOpcode } from './interpreter.ts'
import * as Message from './message.ts'

/** Call before anything else of a message, including warming. */
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

/** Reserves space for call data and the blob hashes behind it. */
export function reserveInput(size: usize): usize {
  return bufferFor(Host.INPUT_BUFFER, size)
}

/**
 * Sets the message for `proceed`. `to`: for a creation the new account. The value is a word at EXCHANGE; call data is
 * in the input buffer.
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

/** Starts or resumes the message; returns why the host is needed. */
export function proceed(): u32 {
  return Message.proceed()
}

// Operands of an exit.

export function exitAccount(): usize {
  return Exits.exitAccount
}

/** Number of the precompile to run; its input and gas follow. */
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

/** Account record. */
export function frameCaller(): usize {
  return load<usize>(Frame.frame, Frame.CALLER)
}

/** Account record. */
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

/** Reserves space for the output of a precompile, before `finishPrecompile`. */
export function reserveOutput(size: usize): usize {
  return bufferFor(Host.RETURN_BUFFER, size)
}

/** Ends the precompile's frame; then call `proceed`, unless it returns that the message ended. */
export function finishPrecompile(status: u32, gasUsed: i64, outputSize: usize): u32 {
  return Message.finishPrecompile(status, gasUsed, outputSize)
}

/** The block hash that BLOCKHASH needs, 32 bytes at EXCHANGE. */
export function provideBlockHash(number: i64): void {
  Host.setCachedBlock(number)
  copyWord(Host.CACHED_BLOCK_HASH, EXCHANGE)
}

// Results.

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

/** Inner calls and creations that ran out of gas. */
export function framesOutOfGas(): u32 {
  return GasNeed.framesOutOfGas
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

/** The last account with a cold access; its record links the previous one. 0: none. */
export function lastColdAccount(): usize {
  return Cold.lastColdAccount
}

/** The last slot with a cold access; `slotKey` writes its key to EXCHANGE. */
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

/** The next account to remove at the end of the transaction: destroyed, or touched and empty. 0: no more. */
export function nextRemovedAccount(): usize {
  let account = Account.firstListedAccount
  while (account !== 0) {
    Account.dropListedAccount()
    if (Account.isDestroyed(account) || (Account.isTouched(account) && Account.isEmptyAccount(account))) return account
    account = Account.firstListedAccount
  }
  return 0
}

/** For an account from `nextRemovedAccount`. */
export function isDestroyed(account: usize): bool {
  return Account.isDestroyed(account)
}
