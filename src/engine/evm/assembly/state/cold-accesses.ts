import { COLD_LISTED_IN, COLD_PREVIOUS } from '../../abi/records.ts'
import { transaction } from './session-state.ts'

/**
 * What the running transaction paid the cold price for (EIP-2929), once each and also in frames that failed: what an
 * access list is made from (EIP-2930). Not under the journal. Accounts and slots each hold the number of the
 * transaction and the record that was listed before.
 */

/** Records of accounts and slots, the newest first; 0: none. */
export let lastColdAccount: usize = 0
export let lastColdSlot: usize = 0

export function clearColdAccesses(): void {
  lastColdAccount = 0
  lastColdSlot = 0
}

/** `place`: the two numbers in the account's record. */
export function listColdAccount(account: usize, position: usize): void {
  if (load<u32>(account + position, COLD_LISTED_IN) === transaction) return
  store<u32>(account + position, transaction, COLD_LISTED_IN)
  store<usize>(account + position, lastColdAccount, COLD_PREVIOUS)
  lastColdAccount = account
}

/** The same for a slot. */
export function listColdSlot(slot: usize, position: usize): void {
  if (load<u32>(slot + position, COLD_LISTED_IN) === transaction) return
  store<u32>(slot + position, transaction, COLD_LISTED_IN)
  store<usize>(slot + position, lastColdSlot, COLD_PREVIOUS)
  lastColdSlot = slot
}
