import { type Address, type Slot, toAddress } from '../../primitives/hex.ts'
import { keccakHash } from '../../primitives/keccak.ts'
import { bigintToSlot } from '../../primitives/quantity.ts'
import { DEMO_STOCK_OWNER, NATIVE_DEMO_STOCKS } from '../predeploys/demo-stocks.ts'
import { type Predeploy, predeploy } from '../predeploys/predeploy.ts'
import { ACTIVATION_REGISTRY_ADDRESS, B20_FACTORY_ADDRESS, B20_FEATURES } from './addresses.ts'
import tokenStorage from './genesis-tokens.json' with { type: 'json' }

/** Code in the state of every account that native code serves. */
export const B20_MARKER = Uint8Array.of(0xef)

/** Development account 0 activates and deactivates features on our networks. */
export const ACTIVATION_ADMIN: Address = DEMO_STOCK_OWNER

/** State variables of contracts/b20/ActivationRegistry.sol: features by id, and the admin. */
const FEATURES_SLOT = bigintToSlot(0n)
const ADMIN_SLOT = bigintToSlot(1n)

/** Every feature is active from block 0. */
export const ACTIVATION_REGISTRY: Predeploy = marked(
  'ActivationRegistry',
  ACTIVATION_REGISTRY_ADDRESS,
  new Map([
    ...B20_FEATURES.map((feature) => [featureSlot(feature), 1n] as const),
    [ADMIN_SLOT, BigInt(ACTIVATION_ADMIN)],
  ]),
)

/**
 * The demonstration stocks as native tokens, and the factory that lists them. genesis-tokens.json holds the storage
 * that their creation leaves; genesis-tokens.test.ts creates them and compares, and with `-u` writes the file.
 */
export function nativeDemoStocks(): readonly Predeploy[] {
  return [
    marked('B20Factory', B20_FACTORY_ADDRESS, storageOf(B20_FACTORY_ADDRESS)),
    ...NATIVE_DEMO_STOCKS.map(({ name, address }) => marked(name, toAddress(address), storageOf(toAddress(address)))),
  ]
}

function storageOf(address: Address): ReadonlyMap<Slot, bigint> {
  const storage = (tokenStorage as Readonly<Record<string, Readonly<Record<string, string>>>>)[address]
  if (storage === undefined) throw new Error(`genesis-tokens.json lacks ${address}: run its test with -u`)
  return new Map(Object.entries(storage).map(([slot, value]) => [slot as Slot, BigInt(value)]))
}

function marked(name: string, address: Address, storage: ReadonlyMap<Slot, bigint>): Predeploy {
  return { ...predeploy(name, address, B20_MARKER, storage), nonce: 0n }
}

function featureSlot(feature: string): Slot {
  return keccakHash(Buffer.from(`${feature.slice(2)}${FEATURES_SLOT.slice(2)}`, 'hex')) as string as Slot
}
