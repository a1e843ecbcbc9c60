import { BERLIN } from '../../../../chain/forks/ordinals.ts'
import { ACCOUNT_COLD } from '../../abi/records.ts'
import { NEED_ACCOUNT, NEED_CODE, NEED_SLOT, NEED_STORAGE } from '../../abi/status.ts'
import { EXIT_WORD, setExitAccount } from '../exits.ts'
import { WARM_GAS } from '../gas-table.ts'
import { charge } from '../memory/frames.ts'
import { fork } from '../session-rules.ts'
import { copyAddress, reverseWord } from '../words/word.ts'
import { findAccount, isWarmAccount, warmAccount } from './accounts.ts'
import { noteColdAccount } from './cold-accesses.ts'

/** Warm and cold accesses (EIP-2929), and exits for state that the session has not loaded. */

const COLD_ACCOUNT_GAS: i64 = 2600
export const COLD_SLOT_GAS: i64 = 2100

/** Charges for an account access. */
export function chargeAccountAccess(account: usize): bool {
  if (fork < BERLIN) return true
  if (isWarmAccount(account)) return charge(WARM_GAS)
  warmColdAccount(account)
  return charge(COLD_ACCOUNT_GAS)
}

/** Surcharge of SELFDESTRUCT, which is zero for a warm account. */
export function chargeColdAccount(account: usize): bool {
  if (fork < BERLIN || isWarmAccount(account)) return true
  warmColdAccount(account)
  return charge(COLD_ACCOUNT_GAS)
}

function warmColdAccount(account: usize): void {
  warmAccount(account)
  noteColdAccount(account, ACCOUNT_COLD)
}

const ADDRESS_WORD = memory.data(32, 16)

/**
 * The account at the low 160 bits of a word. 0 if not loaded: the caller must return `needAccount(word)`.
 */
export function accountAt(word: usize): usize {
  return findAccount(word)
}

export function needAccount(word: usize): u32 {
  copyAddress(ADDRESS_WORD, word)
  reverseWord(EXIT_WORD, ADDRESS_WORD)
  return NEED_ACCOUNT
}

export function needStorage(account: usize): u32 {
  setExitAccount(account)
  return NEED_STORAGE
}

export function needCode(account: usize): u32 {
  setExitAccount(account)
  return NEED_CODE
}

export function needSlot(account: usize, key: usize): u32 {
  setExitAccount(account)
  reverseWord(EXIT_WORD, key)
  return NEED_SLOT
}
