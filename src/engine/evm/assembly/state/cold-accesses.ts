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

/** @param position of the entry in the account record */
export function noteColdAccount(account: usize, position: usize): void {
  if (follows(account + position, lastColdAccount)) lastColdAccount = account
}

/** @param position of the entry in the slot record */
export function noteColdSlot(slot: usize, position: usize): void {
  if (follows(slot + position, lastColdSlot)) lastColdSlot = slot
}

/** Links an entry to the record before it. @returns false: it was accessed in this transaction already */
function follows(entry: usize, previous: usize): bool {
  if (load<u32>(entry, COLD_LISTED_IN) === transaction) return false
  store<u32>(entry, transaction, COLD_LISTED_IN)
  store<usize>(entry, previous, COLD_PREVIOUS)
  return true
}
