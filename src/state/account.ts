import type { Hash } from '../primitives/hex.ts'
import { EMPTY_CODE_HASH } from '../primitives/keccak.ts'

export interface Account {
  readonly nonce: bigint
  /** Wei. */
  readonly balance: bigint
  readonly codeHash: Hash
}

export const EMPTY_ACCOUNT: Account = Object.freeze({ nonce: 0n, balance: 0n, codeHash: EMPTY_CODE_HASH })

/** Whether both are absent or equal. */
export function sameAccount(a: Account | undefined, b: Account | undefined): boolean {
  if (a === undefined || b === undefined) return a === b
  return a.nonce === b.nonce && a.balance === b.balance && a.codeHash === b.codeHash
}
