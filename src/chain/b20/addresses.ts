import { type Address, type Hash, hexToBytes, toAddress } from '../../primitives/hex.ts'
import { keccakHash } from '../../primitives/keccak.ts'

// Addresses of Base's native tokens (Base specs: B20).

export const B20_FACTORY_ADDRESS = toAddress('0xb20f000000000000000000000000000000000000')
export const ACTIVATION_REGISTRY_ADDRESS = toAddress('0x8453000000000000000000000000000000000001')
export const POLICY_REGISTRY_ADDRESS = toAddress('0x8453000000000000000000000000000000000002')
/** Serves the contracts above only; to others it is an account without code. Our own. */
export const B20_HOST_ADDRESS = toAddress('0xb20f0000000000000000000000000000000000ff')

const B20_VARIANTS = ['asset', 'stablecoin'] as const
export type B20Variant = (typeof B20_VARIANTS)[number]

/** Byte 0 and nine zeros; the variant follows, then nine bytes that depend on creator and salt. */
const PREFIX = '0xb2000000000000000000'
const VARIANT_END = PREFIX.length + 2

/** The variant of a token address; `undefined` for an address that cannot be a token. */
export function b20VariantOf(address: Address): B20Variant | undefined {
  return address.startsWith(PREFIX)
    ? B20_VARIANTS[Number.parseInt(address.slice(PREFIX.length, VARIANT_END), 16)]
    : undefined
}

/**
 * The address of the token that `sender` creates with `salt`.
 *
 * @example b20Address('asset', sender, salt).startsWith('0xb200000000000000000000') // true
 */
export function b20Address(variant: B20Variant, sender: Address, salt: Hash): Address {
  const number = B20_VARIANTS.indexOf(variant).toString(16).padStart(2, '0')
  const hash = keccakHash(hexToBytes(`0x${sender.slice(2).padStart(64, '0')}${salt.slice(2)}`))
  return `${PREFIX}${number}${hash.slice(2, 20)}` as Address
}

const feature = (name: string): Hash => keccakHash(Buffer.from(name))

/** Features in the ActivationRegistry. */
export const B20_FEATURES: readonly Hash[] = [
  feature('base.b20_asset'),
  feature('base.b20_stablecoin'),
  feature('base.policy_registry'),
]
