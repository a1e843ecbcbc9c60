import type { BlockOverrides } from '../../engine/call/block-overrides.ts'
import type { AccountOverride, StateOverrides } from '../../engine/call/state-overrides.ts'
import type { Address, Slot } from '../../primitives/hex.ts'
import { bigintToHash } from '../../primitives/quantity.ts'
import { address, data, hash } from './bytes.ts'
import { type Codec, InvalidValueError, jsonObject, listOf, within } from './codec.ts'
import { objectOf } from './object.ts'
import { givenHeight, quantity, quantity64 } from './quantity.ts'
import { withdrawal } from './withdrawal.ts'

const MAX_ENTRIES = 100_000

const slots: Codec<ReadonlyMap<Slot, bigint>> = mapOf<Slot, bigint>(
  (key) => hash.decode(key) as string as Slot,
  (value) => BigInt(hash.decode(value)),
  bigintToHash,
  hash.schema,
)

const accountOverride = objectOf<AccountOverride>(
  { nonce: quantity64, balance: quantity, code: data, state: slots, stateDiff: slots, movePrecompileTo: address },
  { movePrecompileTo: 'movePrecompileToAddress' },
)

/** State overrides by address. */
export const stateOverrides: Codec<StateOverrides> = mapOf<Address, AccountOverride>(
  address.decode,
  accountOverride.decode,
  accountOverride.encode,
  accountOverride.schema,
)

/** Block overrides. */
export const blockOverrides: Codec<BlockOverrides> = {
  decode(json) {
    const { timestamp, ...members } = jsonObject(json)
    // `timestamp` is an alias of `time` in go-ethereum and ethereum/execution-apis.
    return plainBlockOverrides.decode(timestamp === undefined ? members : { time: timestamp, ...members })
  },
  encode: (value) => plainBlockOverrides.encode(value),
  get schema() {
    return plainBlockOverrides.schema
  },
}

const plainBlockOverrides: Codec<BlockOverrides> = objectOf<BlockOverrides>({
  number: givenHeight,
  time: quantity64,
  gasLimit: quantity64,
  feeRecipient: address,
  prevRandao: hash,
  baseFeePerGas: quantity,
  blobBaseFee: quantity,
  beaconRoot: hash,
  withdrawals: listOf(withdrawal, 1_000),
})

function mapOf<K extends string, V>(
  decodeKey: (key: unknown) => K,
  decodeValue: Codec<V>['decode'],
  encodeValue: Codec<V>['encode'],
  schema: Codec<V>['schema'],
): Codec<ReadonlyMap<K, V>> {
  return {
    decode(json) {
      const entries = Object.entries(jsonObject(json))
      if (entries.length > MAX_ENTRIES) {
        throw new InvalidValueError(`${entries.length} entries, want at most ${MAX_ENTRIES}`)
      }
      return new Map(
        entries.map(([key, value]) =>
          within(`[${key.slice(0, 66)}]`, (): [K, V] => [decodeKey(key), decodeValue(value)]),
        ),
      )
    },
    encode: (values) => Object.fromEntries(Array.from(values, ([key, value]) => [key, encodeValue(value)])),
    schema: { type: 'object', additionalProperties: schema },
  }
}
