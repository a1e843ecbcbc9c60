import { type Address, type Slot, slotOfHash, toAddress, ZERO_ADDRESS } from '../../primitives/hex.ts'
import { keccakHash } from '../../primitives/keccak.ts'
import { bigintToSlot } from '../../primitives/quantity.ts'
import { ACTIVATION_REGISTRY_ADDRESS, B20_FACTORY_ADDRESS, B20_FEATURES } from '../b20/addresses.ts'
import { type DemoStockSet, NATIVE_DEMO_STOCKS } from './demo-stocks.ts'
import former from './demo-stocks-v1.json' with { type: 'json' }
import tokenStorage from './genesis-tokens.json' with { type: 'json' }
import { type Predeploy, predeploy } from './predeploy.ts'
import { storageOf } from './stock-contracts.ts'

/** Code in the state of every account that native code serves. */
const B20_MARKER = Uint8Array.of(0xef)

type TokenStorage = Readonly<Record<string, Readonly<Record<string, string>> | undefined>>
/** By address and slot, as the test writes it. */
const TOKEN_STORAGE: TokenStorage = tokenStorage
/** In the set `v1`, the storage of these tokens in place of that of `v2`. */
const FORMER_STORAGE: TokenStorage = former.nativeTokens

/** ERC-7201 namespace `base.activation_registry` (contracts/b20): features by id, and the admin. */
const REGISTRY_ROOT = 0x43ee1bbe25e988521cccd8b2c8fbd38c8287ebff8e074e825a70dfd3885cce00n
const FEATURES_SLOT = bigintToSlot(REGISTRY_ROOT)
const ADMIN_SLOT = bigintToSlot(REGISTRY_ROOT + 1n)

/**
 * The registry with every feature active from block 0.
 *
 * @param admin activates and deactivates features; the zero address: Base's admin does
 */
export function activationRegistry(admin: Address): Predeploy {
  const features = B20_FEATURES.map((feature) => [featureSlot(feature), 1n] as const)
  const storage = new Map(admin === ZERO_ADDRESS ? features : [...features, [ADMIN_SLOT, BigInt(admin)]])
  return marked('ActivationRegistry', ACTIVATION_REGISTRY_ADDRESS, storage)
}

/**
 * The demonstration stocks as native tokens, and the factory that lists them. genesis-tokens.json holds the storage
 * that their creation leaves; genesis-tokens.test.ts creates them and compares, and with `-u` writes the file.
 */
export function nativeDemoStocks(set: DemoStockSet): readonly Predeploy[] {
  return [
    created('B20Factory', B20_FACTORY_ADDRESS, set),
    ...NATIVE_DEMO_STOCKS.map(({ name, address }) => created(name, toAddress(address), set)),
  ]
}

function created(name: string, address: Address, set: DemoStockSet): Predeploy {
  const storage = (set === 'v1' ? FORMER_STORAGE[address] : undefined) ?? TOKEN_STORAGE[address]
  if (storage === undefined) throw new Error(`genesis-tokens.json lacks ${address}: run its test with -u`)
  return marked(name, address, storageOf(storage))
}

function marked(name: string, address: Address, storage: ReadonlyMap<Slot, bigint>): Predeploy {
  return { ...predeploy(name, address, B20_MARKER, storage), nonce: 0n }
}

function featureSlot(feature: string): Slot {
  return slotOfHash(keccakHash(Buffer.from(`${feature.slice(2)}${FEATURES_SLOT.slice(2)}`, 'hex')))
}
