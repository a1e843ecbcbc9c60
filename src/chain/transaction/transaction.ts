import type { Address, Bytes, Hash } from '../../primitives/hex.ts'
import type { Signature } from '../../primitives/secp256k1/secp256k1.ts'
import type { ForeignMembers } from '../foreign-members.ts'
import type { ValidityPredicate } from './validity.ts'

/** EIP-2930 */
export interface AccessListItem {
  readonly address: Address
  readonly storageKeys: readonly Hash[]
}
export type AccessList = readonly AccessListItem[]

/** EIP-7702: permission of `authority` (recovered from the signature) to run the code of `address`. */
export interface Authorization {
  readonly chainId: bigint
  readonly address: Address
  readonly nonce: bigint
  readonly yParity: number
  readonly r: bigint
  readonly s: bigint
}

interface Envelope {
  /** keccak-256 of `raw`. */
  readonly hash: Hash
  /** EIP-2718 bytes, as signed and sent. */
  readonly raw: Bytes
  /** Members that only the forked chain knows. */
  readonly foreign?: ForeignMembers
}

interface Common extends Envelope {
  readonly nonce: bigint
  readonly gasLimit: bigint
  /** `null` creates a contract. */
  readonly to: Address | null
  /** Wei. */
  readonly value: bigint
  readonly data: Bytes
  readonly signature: Signature
}

interface DynamicFee {
  /** Wei per gas. */
  readonly maxFeePerGas: bigint
  /** Wei per gas. */
  readonly maxPriorityFeePerGas: bigint
  readonly accessList: AccessList
}

/** Type 0. `chainId` is absent for a signature without replay protection (EIP-155). */
export interface LegacyTransaction extends Common {
  readonly type: 0
  readonly chainId: bigint | undefined
  readonly gasPrice: bigint
}

/** EIP-2930 */
export interface AccessListTransaction extends Common {
  readonly type: 1
  readonly chainId: bigint
  readonly gasPrice: bigint
  readonly accessList: AccessList
}

/** EIP-1559 */
export interface DynamicFeeTransaction extends Common, DynamicFee {
  readonly type: 2
  readonly chainId: bigint
}

/** Blobs, commitments and proofs, which accompany a blob transaction outside of blocks (EIP-4844). */
export interface BlobSidecar {
  /** 0: a proof per blob (EIP-4844); 1: a proof per cell (EIP-7594). */
  readonly version: 0 | 1
  /** 131,072 bytes each. */
  readonly blobs: readonly Bytes[]
  /** 48 bytes each. */
  readonly commitments: readonly Bytes[]
  /** 48 bytes each. */
  readonly proofs: readonly Bytes[]
}

/** EIP-4844; layer-1 chains only. */
export interface BlobTransaction extends Common, DynamicFee {
  readonly type: 3
  readonly chainId: bigint
  readonly to: Address
  readonly maxFeePerBlobGas: bigint
  readonly blobVersionedHashes: readonly Hash[]
  /** Present while the transaction is pooled; `raw` does not include it. */
  readonly sidecar?: BlobSidecar
}

/** EIP-7702 */
export interface SetCodeTransaction extends Common, DynamicFee {
  readonly type: 4
  readonly chainId: bigint
  readonly to: Address
  readonly authorizationList: readonly Authorization[]
}

/** OP-stack deposit: unsigned, never in the pool (OP-stack specs: deposits). */
export interface DepositTransaction extends Envelope {
  readonly type: typeof DEPOSIT_TYPE
  readonly sourceHash: Hash
  readonly from: Address
  readonly to: Address | null
  /** Wei minted for `from` before the call. */
  readonly mint: bigint
  readonly value: bigint
  readonly gasLimit: bigint
  readonly isSystemTransaction: boolean
  readonly data: Bytes
}

export type SignedTransaction =
  | LegacyTransaction
  | AccessListTransaction
  | DynamicFeeTransaction
  | BlobTransaction
  | SetCodeTransaction

/** A decoded transaction. A deposit names its sender; that of a signed transaction derives from the signature. */
export type Transaction = SignedTransaction | DepositTransaction

/** A transaction with its sender, which is recovered once on arrival. */
export type RecoveredTransaction = (SignedTransaction & { readonly from: Address }) | DepositTransaction

export type PoolTransaction = Extract<RecoveredTransaction, { type: 0 | 1 | 2 | 3 | 4 }> & {
  /** Conditions of its inclusion, which are not signed. Absent on nearly all transactions. */
  readonly validity?: readonly ValidityPredicate[]
  /** Whether it is dropped when its turn comes and a condition does not hold (op-geth). Absent: it waits. */
  readonly mustStayValid?: boolean
  /** Whether the pool refuses it unless the next block can include it (EIP-7966). It is not recorded. */
  readonly mustBeExecutable?: boolean
}

export const DEPOSIT_TYPE = 0x7e

/**
 * Whether only the rules of its own chain explain a transaction in a block of another node (fork mode): it has a type
 * that no other chain has, or no signature. It has the form of a deposit, the unsigned transaction that names its
 * sender, but no encoding. It is shown as that node gave it, and never executed.
 */
export function isForeign({ raw }: Pick<RecoveredTransaction, 'raw'>): boolean {
  return raw.length === 0
}

/** Maximum wei per gas that the sender pays. */
export function maxFeePerGas(transaction: SignedTransaction): bigint {
  return 'maxFeePerGas' in transaction ? transaction.maxFeePerGas : transaction.gasPrice
}

/** Maximum wei per gas that goes to the fee recipient. */
export function maxPriorityFeePerGas(transaction: SignedTransaction): bigint {
  return 'maxPriorityFeePerGas' in transaction ? transaction.maxPriorityFeePerGas : transaction.gasPrice
}

/** Wei per gas paid at this base fee (EIP-1559); below the base fee if `maxFeePerGas` is. */
export function effectiveGasPrice(transaction: Transaction, baseFee: bigint): bigint {
  if (transaction.type === DEPOSIT_TYPE) return 0n
  const cap = maxFeePerGas(transaction)
  const wanted = baseFee + maxPriorityFeePerGas(transaction)
  if (wanted < cap) return wanted
  return cap
}
