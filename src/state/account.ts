import type { Hash } from '../primitives/hex.ts'
import { EMPTY_CODE_HASH } from '../primitives/keccak.ts'
import { MAX_UINT256 } from '../primitives/quantity.ts'

export interface Account {
  readonly nonce: bigint
  /** Wei. */
  readonly balance: bigint
  readonly codeHash: Hash
}

export const EMPTY_ACCOUNT: Account = Object.freeze({ nonce: 0n, balance: 0n, codeHash: EMPTY_CODE_HASH })

/** A balance after a credit of wei. It saturates at 2^256 - 1, as in revm, so that no credit makes it smaller. */
export function credited(balance: bigint, wei: bigint): bigint {
  const sum = balance + wei
  return sum > MAX_UINT256 ? MAX_UINT256 : sum
}

/** Whether both are absent or equal. */
export function sameAccount(a: Account | undefined, b: Account | undefined): boolean {
  if (a === undefined || b === undefined) return a === b
  return a.nonce === b.nonce && a.balance === b.balance && a.codeHash === b.codeHash
}
