// The module that `engine/evm/evm.ts` loads, and its sessions. What else the host may call is in `state-exports.ts` and
// `message-exports.ts`. Pointers are addresses in the module's memory; words are 32 bytes, the lowest first, unless "bytes"
// is said.
import * as Account from './accounts.ts'
import { release } from './arena.ts'
import * as Code from './codes.ts'
import * as Cold from './cold-accesses.ts'
import { SPURIOUS_DRAGON, setFork } from './forks.ts'
import * as Frame from './frames.ts'
import { defineRules } from './gas-table.ts'
import { setSeed } from './hash-table.ts'
import { initializeHeap } from './heap.ts'
import * as Host from './host-data.ts'
import { setExpByteGas } from './interpreter.ts'
import * as Journal from './journal.ts'
import * as Log from './logs.ts'
import { nextSession, SESSION_ARENA, TRANSACTION_ARENA } from './session-state.ts'
import * as Slot from './slots.ts'
import * as Status from './status.ts'
import { clearTransient } from './transient.ts'

/** Where the words are through which both sides pass values. */
export const EXCHANGE: usize = Host.EXCHANGE
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
