import type { Address, Bytes, Slot } from '../primitives/hex.ts'
import type { Account } from '../state/account.ts'
import type { StateReader } from '../state/state-reader.ts'

/** The state as a native contract sees and writes it. When the frame that called it fails, its writes are undone. */
export interface NativeState extends StateReader {
  setAccount(address: Address, account: Account | undefined): void
  setStorage(address: Address, slot: Slot, value: bigint): void
}

export type NativeResult =
  | { readonly kind: 'success'; readonly output: Bytes; readonly gasUsed: bigint }
  /** All gas is gone in either case. */
  | { readonly kind: 'out of gas' }
  | { readonly kind: 'failed' }

/** The frame that a native contract runs in. */
export interface NativeCall {
  readonly input: Bytes
  readonly gas: bigint
  readonly caller: Address
  /** Whose storage and balance the frame works on; not the contract's own under DELEGATECALL and CALLCODE. */
  readonly self: Address
  /** Wei; already paid. */
  readonly value: bigint
  /** Nothing may be written (EIP-214). */
  readonly isStatic: boolean
  readonly state: NativeState
}

/**
 * A contract whose code is the host's and that may write state, unlike a precompile. It has to charge for all its work.
 *
 * @example const counter: NativeContract = ({ gas, self, state }) => { … return { kind: 'success', output, gasUsed } }
 */
export type NativeContract = (call: NativeCall) => NativeResult
