// The module that `engine/evm/evm.ts` loads, and its sessions. What else the host may call is in `state-exports.ts` and
// `message-exports.ts`. Pointers are addresses in the module's memory; words are 32 bytes, the lowest first, unless "bytes"
// is said.

import { SPURIOUS_DRAGON } from '../../../chain/forks/ordinals.ts'
import { setFork } from './active-fork.ts'
import * as Frame from './execution/frames.ts'
import * as Exits from './exits.ts'
import { defineRules } from './gas-table.ts'
import * as Host from './host-data.ts'
import { setExpByteGas } from './interpreter.ts'
import { release } from './memory/arena.ts'
import { setSeed } from './memory/hash-table.ts'
import { initializeHeap } from './memory/heap.ts'
import * as Account from './state/accounts.ts'
import * as Code from './state/codes.ts'
import * as Cold from './state/cold-accesses.ts'
import * as Journal from './state/journal.ts'
import * as Log from './state/logs.ts'
import { nextSession, SESSION_ARENA, TRANSACTION_ARENA } from './state/session-state.ts'
import * as Slot from './state/slots.ts'
import { clearTransient } from './state/transient.ts'

/** Where the words are through which both sides pass values. */
export const EXCHANGE: usize = Host.EXCHANGE
export const EXIT_WORD: usize = Exits.EXIT_WORD
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
  Cold.clearColdAccesses()
  Code.trimCodes()
  clearTransient()
  Log.clearLogs()
  Frame.noFrames()
  Host.setKnownBlock(-1)
}

export function memoryBytes(): usize {
  return (<usize>memory.size()) << 16
}
