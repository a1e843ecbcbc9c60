import type { Address, Bytes, Hash } from '../../primitives/hex.ts'
import { DEPOSIT_TYPE, type DepositTransaction } from '../transaction/transaction.ts'
import { createTransaction } from '../transaction/transaction-codec.ts'
import { userDepositSource } from './deposit-source.ts'
import { DEPOSITOR_ADDRESS } from './l1-attributes.ts'

/** A deposit that a user makes through the portal on layer 1 (OP-stack specs: deposits). */
export interface UserDeposit {
  /** An account of layer 2: the address of a contract of layer 1 is aliased already. */
  readonly from: Address
  /** `null`: creates a contract. */
  readonly to: Address | null
  /** Wei that come into being on layer 2. */
  readonly mint: bigint
  /** Wei that move from `from` to `to`. */
  readonly value: bigint
  readonly gasLimit: bigint
  readonly data: Bytes
}

/** The event of a deposit on layer 1. */
export interface DepositEvent {
  readonly l1BlockHash: Hash
  readonly logIndex: bigint
}

/** Gas for which an OptimismPortal sells deposits per block of layer 1 (`ResourceMetering`, `maxResourceLimit`). */
export const MAX_DEPOSIT_GAS = 20_000_000n
/** Bytes of calldata that an OptimismPortal accepts. */
export const MAX_DEPOSIT_BYTES = 120_000
const MAX_MINT = 2n ** 128n - 1n
const INTRINSIC_GAS = 21_000n
/** Gas per byte of calldata that an OptimismPortal demands since Isthmus (EIP-7623). */
const GAS_PER_BYTE = 40n
/** Gas per byte of calldata that the OptimismPortals before Isthmus demand. */
export const GAS_PER_BYTE_BEFORE_ISTHMUS = 16n

/** Why no OptimismPortal would emit a deposit. */
export type DepositFault =
  | { readonly code: 'DEPOSIT_GAS_TOO_LOW'; readonly gasLimit: bigint; readonly minimum: bigint }
  | { readonly code: 'DEPOSIT_GAS_TOO_HIGH'; readonly gasLimit: bigint; readonly limit: bigint }
  | { readonly code: 'DEPOSIT_TOO_LARGE'; readonly bytes: number; readonly limit: number }
  | { readonly code: 'DEPOSIT_MINT_TOO_HIGH'; readonly mint: bigint }
  | { readonly code: 'DEPOSIT_FROM_PROTOCOL' }

/** The transaction of a user deposit. */
export function userDepositTransaction(deposit: UserDeposit, event: DepositEvent): DepositTransaction {
  return createTransaction({
    type: DEPOSIT_TYPE,
    sourceHash: userDepositSource(event.l1BlockHash, event.logIndex),
    isSystemTransaction: false,
    ...deposit,
  })
}

/** The least gas limit that an OptimismPortal accepts. @param bytes of calldata */
export function minimumDepositGas(bytes: number, gasPerByte = GAS_PER_BYTE): bigint {
  return INTRINSIC_GAS + gasPerByte * BigInt(bytes)
}

/**
 * Checks the rules of the portal; undefined if it accepts the deposit.
 *
 * @param gasPerByte of calldata, which depends on the version of the portal. Default: that since Isthmus
 */
export function depositFault(
  { from, mint, gasLimit, data }: UserDeposit,
  gasPerByte = GAS_PER_BYTE,
): DepositFault | undefined {
  const minimum = minimumDepositGas(data.length, gasPerByte)
  if (data.length > MAX_DEPOSIT_BYTES) {
    return { code: 'DEPOSIT_TOO_LARGE', bytes: data.length, limit: MAX_DEPOSIT_BYTES }
  }
  if (gasLimit < minimum) return { code: 'DEPOSIT_GAS_TOO_LOW', gasLimit, minimum }
  if (gasLimit > MAX_DEPOSIT_GAS) return { code: 'DEPOSIT_GAS_TOO_HIGH', gasLimit, limit: MAX_DEPOSIT_GAS }
  if (mint > MAX_MINT) return { code: 'DEPOSIT_MINT_TOO_HIGH', mint }
  // Its transactions set the values of layer 1.
  return from === DEPOSITOR_ADDRESS ? { code: 'DEPOSIT_FROM_PROTOCOL' } : undefined
}
