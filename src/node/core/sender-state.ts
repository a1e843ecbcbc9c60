import { delegationOf } from '../../engine/transaction/delegation.ts'
import type { SenderState } from '../../pool/types.ts'
import type { Address } from '../../primitives/hex.ts'
import { EMPTY_CODE_HASH } from '../../primitives/keccak.ts'
import type { StateReader } from '../../state/state-reader.ts'

/** What the pool has to know of a sender's account. */
export function senderState(state: StateReader, address: Address): SenderState {
  const account = state.account(address)
  if (account === undefined) return { nonce: 0n, balance: 0n, code: 'none' }
  const { nonce, balance, codeHash } = account
  if (codeHash === EMPTY_CODE_HASH) return { nonce, balance, code: 'none' }
  const isDelegation = delegationOf(state.code(codeHash)) !== undefined
  return { nonce, balance, code: isDelegation ? 'delegation' : 'contract' }
}
