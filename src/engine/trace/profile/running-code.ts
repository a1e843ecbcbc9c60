import type { Address, Bytes, Hash } from '../../../primitives/hex.ts'
import { EMPTY_CODE_HASH } from '../../../primitives/keccak.ts'
import type { StateReader } from '../../../state/state-reader.ts'
import { delegationOf } from '../../transaction/delegation.ts'

/** Code that runs when an account is called. */
export interface RunningCode {
  /** The account with the code: the called one, or the one that it delegates to (EIP-7702). */
  readonly address: Address
  readonly hash: Hash
  readonly code: Bytes
}

/** The code that runs at an address; `undefined`: none, as for a plain account or a precompile. */
export function runningCode(state: StateReader, address: Address): RunningCode | undefined {
  const hash = state.account(address)?.codeHash ?? EMPTY_CODE_HASH
  if (hash === EMPTY_CODE_HASH) return undefined
  const code = state.code(hash)
  const delegate = delegationOf(code)
  if (delegate === undefined) return { address, hash, code }
  const delegateHash = state.account(delegate)?.codeHash ?? EMPTY_CODE_HASH
  if (delegateHash === EMPTY_CODE_HASH) return undefined
  return { address: delegate, hash: delegateHash, code: state.code(delegateHash) }
}
