import type { Address, Bytes, Hash } from '../../primitives/hex.ts'
import type { Signature } from '../../primitives/secp256k1.ts'

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

/** Type 0. `chainId` is absent where the signature is not protected from replay (EIP-155). */
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

/** What a blob transaction is sent with and blocks do not hold (EIP-4844). */
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
  /** While it waits; `raw` and what blocks hold are without it. */
  readonly sidecar?: BlobSidecar
}

/** EIP-7702 */
export interface SetCodeTransaction extends Common, DynamicFee {
  readonly type: 4
  readonly chainId: bigint
  readonly to: Address
  readonly authorizationList: readonly Authorization[]
}

/** OP-stack deposit: unsigned, never in the pool (spec-facts 7.4). */
export interface DepositTransaction extends Envelope {
  readonly type: 0x7e
  readonly sourceHash: Hash
  readonly from: Address
  readonly to: Address | null
  /** Wei created for `from` before the call. */
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

/** What decoding yields: a deposit names its sender, a signed transaction implies it. */
export type Transaction = SignedTransaction | DepositTransaction

/** A transaction whose sender is known: recovered once, when it arrives. */
export type RecoveredTransaction = (SignedTransaction & { readonly from: Address }) | DepositTransaction

export type PoolTransaction = Extract<RecoveredTransaction, { type: 0 | 1 | 2 | 3 | 4 }>

export const DEPOSIT_TYPE = 0x7e

/** Wei per gas that the sender is willing to pay at most. */
export function maxFeePerGas(transaction: SignedTransaction): bigint {
  return 'maxFeePerGas' in transaction ? transaction.maxFeePerGas : transaction.gasPrice
}

/** Wei per gas that goes to the fee recipient at most. */
export function maxPriorityFeePerGas(transaction: SignedTransaction): bigint {
  return 'maxPriorityFeePerGas' in transaction ? transaction.maxPriorityFeePerGas : transaction.gasPrice
}

/** Wei per gas that is paid at this base fee (EIP-1559); below the base fee when `maxFeePerGas` is. */
export function effectiveGasPrice(transaction: Transaction, baseFee: bigint): bigint {
  if (transaction.type === DEPOSIT_TYPE) return 0n
  const cap = maxFeePerGas(transaction)
  const wanted = baseFee + maxPriorityFeePerGas(transaction)
  if (wanted < cap) return wanted
  return cap
}
