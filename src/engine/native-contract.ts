import type { Address, Bytes, Hash, Slot } from '../primitives/hex.ts'
import type { Account } from '../state/account.ts'
import type { StateReader } from '../state/state-reader.ts'

/** State access of a native contract. Its writes are reverted when the calling frame fails. */
export interface NativeState extends StateReader {
  setAccount(address: Address, account: Account | undefined): void
  setStorage(address: Address, slot: Slot, value: bigint): void
  /** Returns the hash of the code. */
  setCode(address: Address, code: Bytes): Hash
}

export type NativeResult =
  | { readonly kind: 'success'; readonly output: Bytes; readonly gasUsed: bigint }
  /** All gas is consumed in either case. */
  | { readonly kind: 'out of gas' }
  | { readonly kind: 'failed' }

/** The frame of a native contract. */
export interface NativeCall {
  readonly input: Bytes
  readonly gas: bigint
  readonly caller: Address
  /** Account whose storage and balance the frame uses; not the contract itself under DELEGATECALL and CALLCODE. */
  readonly self: Address
  /** Wei, already transferred. */
  readonly value: bigint
  /** Writes are not allowed (EIP-214). */
  readonly isStatic: boolean
  readonly state: NativeState
}

/**
 * A contract implemented by the host that, unlike a precompile, may write state. It must charge for all its work.
 *
 * @example const counter: NativeContract = ({ gas, self, state }) => { … return { kind: 'success', output, gasUsed } }
 */
export type NativeContract = (call: NativeCall) => NativeResult
