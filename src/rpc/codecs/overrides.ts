import type { BlockOverrides } from '../../engine/call/block-overrides.ts'
import type { AccountOverride, StateOverrides } from '../../engine/call/state-overrides.ts'
import { type Address, type Slot, slotOfHash } from '../../primitives/hex.ts'
import { bigintToHash } from '../../primitives/quantity.ts'
import { RPC_CODES, RpcError } from '../protocol/errors.ts'
import { isJsonObject } from '../protocol/json.ts'
import type { ValueLimits } from '../protocol/limits.ts'
import { address, data, hash } from './bytes.ts'
import { type Codec, jsonObject, listOf, within } from './codec.ts'
import { closedObject, objectOf } from './object.ts'
import { givenHeight, quantity, quantity64 } from './quantity.ts'
import { withdrawal } from './withdrawal.ts'

const slots: Codec<ReadonlyMap<Slot, bigint>> = mapOf<Slot, bigint>(
  (key) => slotOfHash(hash.decode(key)),
  (value) => BigInt(hash.decode(value)),
  bigintToHash,
  hash.schema,
)

const accountOverride = closedObject(
  objectOf<AccountOverride>(
    { nonce: quantity64, balance: quantity, code: data, state: slots, stateDiff: slots, movePrecompileTo: address },
    { movePrecompileTo: 'movePrecompileToAddress' },
  ),
)

/** State overrides by address. */
export const stateOverrides: Codec<StateOverrides> = {
  checkSize: (json, limits) => checkOverrides([json], limits),
  ...mapOf<Address, AccountOverride>(
    address.decode,
    accountOverride.decode,
    accountOverride.encode,
    accountOverride.schema,
  ),
}

/**
 * Counts the accounts and slots in all state overrides of a request.
 *
 * @throws RpcError -32602
 */
export function checkOverrides(all: readonly unknown[], { maxOverrideAccounts, maxOverrideSlots }: ValueLimits): void {
  let accounts = 0
  let slots = 0
  for (const overrides of all) {
    if (!isJsonObject(overrides)) continue
    for (const account of Object.values(overrides)) {
      accounts++
      if (!isJsonObject(account)) continue
      for (const map of [account.state, account.stateDiff]) if (isJsonObject(map)) slots += Object.keys(map).length
    }
  }
  if (accounts > maxOverrideAccounts) throw tooManyOverrides(accounts, maxOverrideAccounts, 'accounts')
  if (slots > maxOverrideSlots) throw tooManyOverrides(slots, maxOverrideSlots, 'slots')
}

function tooManyOverrides(count: number, limit: number, what: 'accounts' | 'slots'): RpcError {
  return new RpcError(
    RPC_CODES.invalidParams,
    `state overrides of ${count} ${what}, want at most ${limit} (--max-override-${what})`,
  )
}

/** Block overrides by go-ethereum's names, and by those of alloy (reth, Anvil, cast) and of Erigon. */
export const blockOverrides: Codec<BlockOverrides> = closedObject(
  objectOf<BlockOverrides>({
    number: givenHeight,
    difficulty: quantity,
    time: quantity64,
    gasLimit: quantity64,
    feeRecipient: address,
    prevRandao: hash,
    baseFeePerGas: quantity,
    blobBaseFee: quantity,
    beaconRoot: hash,
    withdrawals: listOf(withdrawal, 1_000),
  }),
  {
    blockNumber: 'number',
    timestamp: 'time',
    coinbase: 'feeRecipient',
    random: 'prevRandao',
    baseFee: 'baseFeePerGas',
  },
)

function mapOf<K extends string, V>(
  decodeKey: (key: unknown) => K,
  decodeValue: Codec<V>['decode'],
  encodeValue: Codec<V>['encode'],
  schema: Codec<V>['schema'],
): Codec<ReadonlyMap<K, V>> {
  return {
    decode(json) {
      const entries = Object.entries(jsonObject(json))
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
