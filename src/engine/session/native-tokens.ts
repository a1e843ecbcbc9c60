import {
  ACTIVATION_REGISTRY_ADDRESS,
  B20_FACTORY_ADDRESS,
  B20_HOST_ADDRESS,
  b20VariantOf,
  POLICY_REGISTRY_ADDRESS,
} from '../../chain/b20/addresses.ts'
import type { NativeCode, NativeTokenCode } from '../../chain/b20/native-code.ts'
import { type Address, bytesToHex, EMPTY_BYTES, toAddress } from '../../primitives/hex.ts'
import { bigintToWord } from '../../primitives/quantity.ts'
import type { AddressRole, AddressRoles } from '../evm/address-roles.ts'
import type { NativeContract } from '../native-contract.ts'

/** Code of accounts that native code serves: INVALID, which no deployment can produce since London (EIP-3541). */
const MARKER = Uint8Array.of(0xef)
/** Gas for the code of a new contract of one byte: 32,000 for its creation, 200 for the byte. */
const MARKER_GAS = 32_200n

const CLIENTS: ReadonlySet<Address> = new Set([
  B20_FACTORY_ADDRESS,
  ACTIVATION_REGISTRY_ADDRESS,
  POLICY_REGISTRY_ADDRESS,
])

/**
 * Does for contracts/b20 what Solidity cannot. With an address as input it places the marker there; without input it
 * returns whether the frame is static.
 */
export const nativeTokenHost: NativeContract = ({ input, caller, self, isStatic, gas, state }) => {
  if (self !== B20_HOST_ADDRESS || !CLIENTS.has(caller)) return { kind: 'success', output: EMPTY_BYTES, gasUsed: 0n }
  if (input.length !== 20) return { kind: 'success', output: bigintToWord(isStatic ? 1n : 0n), gasUsed: 0n }
  if (isStatic) return { kind: 'failed' }
  if (gas < MARKER_GAS) return { kind: 'out of gas' }
  state.setCode(toAddress(bytesToHex(input)), MARKER)
  return { kind: 'success', output: EMPTY_BYTES, gasUsed: MARKER_GAS }
}

/** Adds the roles of the addresses of native tokens to those of other addresses. */
export function withNativeTokens(roles: AddressRoles, { singletons, tokens }: NativeTokenCode): AddressRoles {
  const fixed = new Map<Address, AddressRole>()
  for (const [address, code] of singletons) {
    fixed.set(address, { precompile: 0, isAlwaysWarm: true, native: { code, needsMarker: false } })
  }
  const token = (code: NativeCode): AddressRole => ({
    precompile: 0,
    isAlwaysWarm: false,
    native: { code, needsMarker: true },
  })
  const byVariant = { asset: token(tokens.asset), stablecoin: token(tokens.stablecoin) }
  return {
    get(address) {
      const role = roles.get(address) ?? fixed.get(address)
      if (role !== undefined) return role
      const variant = b20VariantOf(address)
      return variant && byVariant[variant]
    },
  }
}
