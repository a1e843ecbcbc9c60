import type { NativeCode } from '../../chain/b20/native-code.ts'
import type { Address } from '../../primitives/hex.ts'

/** Role of an address besides its account. */
export interface AddressRole {
  /** Number of the native contract at the address, from 1 on; 0 for none. */
  readonly precompile: number
  /** Never charged for a cold access (EIP-2929). */
  readonly isAlwaysWarm: boolean
  /** Code that runs instead of the account's own. */
  readonly native?: NativeRole
}

export interface NativeRole {
  readonly code: NativeCode
  /** Whether the code runs only while that of the account is the marker 0xef. */
  readonly needsMarker: boolean
}

/** By address; others are ordinary accounts. */
export interface AddressRoles {
  get(address: Address): AddressRole | undefined
}
