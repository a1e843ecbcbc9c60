import type { Address } from '../primitives/hex.ts'
import { EMPTY_CODE_HASH } from '../primitives/keccak.ts'
import { type Account, credited, EMPTY_ACCOUNT } from '../state/account.ts'
import type { StateReader } from '../state/state-reader.ts'
import type { WorldState } from './world-state.ts'

/** The account, or an empty one if it does not exist. */
export function accountOf(state: StateReader, address: Address): Account {
  return state.account(address) ?? EMPTY_ACCOUNT
}

/** EIP-161 */
export function isEmptyAccount(account: Account): boolean {
  return account.nonce === 0n && account.balance === 0n && account.codeHash === EMPTY_CODE_HASH
}

/** Credits `amount` wei to an account, creating it if necessary; an amount of zero touches it (EIP-161). */
export function addBalance(state: WorldState, address: Address, amount: bigint): void {
  const { nonce, balance, codeHash } = accountOf(state, address)
  state.setAccount(address, { nonce, balance: credited(balance, amount), codeHash })
}
