// Entry file of the module that `engine/evm/evm.ts` loads: sessions. Further exports are in `state-exports.ts` and
// `message-exports.ts`. Pointers are addresses in the module's memory. Words are 32 bytes, least significant limb
// first, except where a comment says "bytes".

import * as Exits from '../exits.ts'
import { writeGasTable } from '../gas-table.ts'
import * as Host from '../host-data.ts'
import { release } from '../memory/arena.ts'
import * as Frame from '../memory/frames.ts'
import { setSeed } from '../memory/hash-table.ts'
import { initializeHeap } from '../memory/heap.ts'
import { setRules } from '../session-rules.ts'
import { nextSession, SESSION_ARENA, TRANSACTION_ARENA } from '../session-state.ts'
import * as Account from '../state/accounts.ts'
import * as Code from '../state/codes.ts'
import * as Cold from '../state/cold-accesses.ts'
import * as Journal from '../state/journal.ts'
import * as Log from '../state/logs.ts'
import * as Slot from '../state/slots.ts'
import { clearTransient } from '../state/transient.ts'

/** Address of the words through which both sides pass values. */
export const EXCHANGE: usize = Host.EXCHANGE
export const EXIT_WORD: usize = Exits.EXIT_WORD
/** Address of the environment (`ENV_...` in `abi/records.ts`). */
export const ENVIRONMENT: usize = Host.ENVIRONMENT

/** Call once for each instance. */
export function initialize(seed: u64): void {
  setSeed(seed)
  initializeHeap()
}

/** Discards everything except cached code. */
export function openSession(forkNumber: u32, codeSizeLimit: usize): void {
  setRules(forkNumber, codeSizeLimit)
  writeGasTable()
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
  Host.setCachedBlock(-1)
}

export function memoryBytes(): usize {
  return (<usize>memory.size()) << 16
}
