import { recoverAuthority } from '../../chain/transaction/authorization.ts'
import type { Authorization } from '../../chain/transaction/transaction.ts'
import { type Address, EMPTY_BYTES, ZERO_ADDRESS } from '../../primitives/hex.ts'
import { MAX_UINT64 } from '../../primitives/quantity.ts'
import { accountOf } from '../accounts.ts'
import type { WorldState } from '../world-state.ts'
import { delegationCode, delegationOf } from './delegation.ts'

/** Refund for an existing authority: 25,000 charged less 12,500 (EIP-7702). */
const EXISTING_AUTHORITY_REFUND = 12_500n

export interface AppliedAuthorizations {
  readonly refund: bigint
  /**
   * Recovered authorities, which count as accessed (EIP-7702, "Behavior", step 4), also where a later step skips the
   * authorization.
   */
  readonly warmAddresses: readonly Address[]
}

const NONE: AppliedAuthorizations = Object.freeze({ refund: 0n, warmAddresses: [] })

/** Applies the delegations of a transaction in order; invalid ones are skipped (EIP-7702, "Behavior"). */
export function applyAuthorizations(
  state: WorldState,
  authorizations: readonly Authorization[] | undefined,
  chainId: bigint,
): AppliedAuthorizations {
  if (authorizations === undefined) return NONE
  const warmAddresses: Address[] = []
  let refund = 0n
  for (const authorization of authorizations) {
    if (authorization.chainId !== 0n && authorization.chainId !== chainId) continue
    if (authorization.nonce >= MAX_UINT64) continue
    const authority = recoverAuthority(authorization)
    if (authority === undefined) continue
    warmAddresses.push(authority)
    const existing = state.account(authority)
    const account = accountOf(state, authority)
    const code = state.code(account.codeHash)
    if (code.length > 0 && delegationOf(code) === undefined) continue
    if (account.nonce !== authorization.nonce) continue
    if (existing !== undefined) refund += EXISTING_AUTHORITY_REFUND
    const clears = authorization.address === ZERO_ADDRESS
    const codeHash = state.setCode(authority, clears ? EMPTY_BYTES : delegationCode(authorization.address))
    state.setAccount(authority, { nonce: account.nonce + 1n, balance: account.balance, codeHash })
  }
  return { refund, warmAddresses }
}
