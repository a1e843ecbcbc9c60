import type { Address, Hash } from '../../primitives/hex.ts'
import type { ForeignMembers } from '../foreign-members.ts'
import type { RecoveredTransaction } from '../transaction/transaction.ts'
import type { Header } from './header.ts'

/** EIP-4895; `amount` in Gwei. */
export interface Withdrawal {
  readonly index: bigint
  readonly validatorIndex: bigint
  readonly address: Address
  readonly amount: bigint
}

export interface Block {
  readonly header: Header
  /** keccak-256 of the header's RLP. */
  readonly hash: Hash
  readonly transactions: readonly RecoveredTransaction[]
  readonly uncles: readonly Header[]
  /** Absent or undefined before Shanghai. */
  readonly withdrawals?: readonly Withdrawal[]
  /** Bytes of the block's RLP. */
  readonly size: number
  /** Besides the header and the transactions, of a block of another chain (fork mode). */
  readonly foreign?: ForeignMembers
}

/** A frozen block. All blocks are created here so that they share one hidden class (see `createHeader`). */
export function createBlock({ header, hash, transactions, uncles, withdrawals, size, foreign }: Block): Block {
  return Object.freeze({ header, hash, transactions, uncles, withdrawals, size, foreign })
}
