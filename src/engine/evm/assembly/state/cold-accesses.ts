import { COLD_LISTED_IN, COLD_PREVIOUS } from '../../abi/records.ts'
import { transaction } from '../session-state.ts'

/**
 * Cold accesses of the current transaction (EIP-2929), once each, including failed frames: the input of access lists
 * (EIP-2930). Not journaled.
 */

/** Linked lists of account and slot records, newest first; 0: empty. */
export let lastColdAccount: usize = 0
export let lastColdSlot: usize = 0

export function clearColdAccesses(): void {
  lastColdAccount = 0
  lastColdSlot = 0
}

/** `place`: offset of the entry in the account record. */
export function listColdAccount(account: usize, position: usize): void {
  if (load<u32>(account + position, COLD_LISTED_IN) === transaction) return
  store<u32>(account + position, transaction, COLD_LISTED_IN)
  store<usize>(account + position, lastColdAccount, COLD_PREVIOUS)
  lastColdAccount = account
}

/** `place`: offset of the entry in the slot record. */
export function listColdSlot(slot: usize, position: usize): void {
  if (load<u32>(slot + position, COLD_LISTED_IN) === transaction) return
  store<u32>(slot + position, transaction, COLD_LISTED_IN)
  store<usize>(slot + position, lastColdSlot, COLD_PREVIOUS)
  lastColdSlot = slot
}
