import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import type { AccountOverride } from '../../engine/state-overrides.ts'
import { bytesToHex, toAddress, toHash, toSlot } from '../../primitives/hex.ts'
import { blockHeight, blockReference } from './block-reference.ts'
import { boolean } from './boolean.ts'
import { address, data, hash } from './bytes.ts'
import { callObject } from './call-object.ts'
import type { Codec } from './codec.ts'
import { logFilter } from './log-filter.ts'
import { blockOverrides, stateOverrides } from './overrides.ts'
import { count, quantity, quantity64 } from './quantity.ts'
import { simulationPayload } from './simulation-payload.ts'
import { milliseconds } from './small-numbers.ts'
import { storageKey } from './storage-key.ts'

const bytes = (length: number) => fc.uint8Array({ minLength: length, maxLength: length }).map(bytesToHex)
const word = fc.bigInt(0n, (1n << 256n) - 1n)
const u64 = fc.bigInt(0n, (1n << 64n) - 1n)
const addresses = bytes(20).map(toAddress)
const hashes = bytes(32).map(toHash)
const anyBytes = fc.uint8Array({ maxLength: 40 })
const partial = { requiredKeys: [] }
const height = fc.oneof(
  fc.constantFrom('latest', 'pending', 'safe', 'finalized', 'earliest').map((tag) => ({ kind: 'tag', tag }) as const),
  fc.maxSafeNat().map((number) => ({ kind: 'number', number }) as const),
)
const reference = fc.oneof(
  height,
  fc.record({ kind: fc.constant('hash' as const), hash: hashes, requireCanonical: fc.boolean() }),
)
const call = fc.record(
  {
    from: addresses,
    to: addresses,
    gas: u64,
    gasPrice: word,
    maxFeePerGas: word,
    maxPriorityFeePerGas: word,
    value: word,
    data: anyBytes,
    nonce: u64,
    chainId: word,
    accessList: fc.array(fc.record({ address: addresses, storageKeys: fc.array(hashes, { maxLength: 2 }) }), {
      maxLength: 2,
    }),
    authorizationList: fc.array(
      fc.record({ chainId: word, address: addresses, nonce: u64, yParity: fc.nat(1), r: word, s: word }),
      { maxLength: 2 },
    ),
    blobVersionedHashes: fc.array(hashes, { maxLength: 2 }),
    maxFeePerBlobGas: word,
  },
  partial,
)
const slots = fc.array(fc.tuple(bytes(32).map(toSlot), word), { maxLength: 3 }).map((entries) => new Map(entries))
const account: fc.Arbitrary<AccountOverride> = fc.record(
  { nonce: u64, balance: word, code: anyBytes, state: slots, stateDiff: slots, movePrecompileTo: addresses },
  partial,
)
const accounts = fc.array(fc.tuple(addresses, account), { maxLength: 3 }).map((entries) => new Map(entries))
const block = fc.record(
  {
    number: fc.maxSafeNat(),
    time: u64,
    gasLimit: u64,
    feeRecipient: addresses,
    prevRandao: hashes,
    baseFeePerGas: word,
    blobBaseFee: word,
    withdrawals: fc.array(fc.record({ index: u64, validatorIndex: u64, address: addresses, amount: u64 }), {
      maxLength: 2,
    }),
  },
  partial,
)
const filter = fc.record({
  fromBlock: fc.option(height, { nil: undefined }),
  toBlock: fc.option(height, { nil: undefined }),
  blockHash: fc.option(hashes, { nil: undefined }),
  addresses: fc.array(addresses, { maxLength: 3 }),
  topics: fc.array(fc.array(hashes, { maxLength: 2 }), { maxLength: 4 }),
})
const payload = fc.record({
  blocks: fc.array(
    fc.record({ blockOverrides: block, stateOverrides: accounts, calls: fc.array(call, { maxLength: 2 }) }, partial),
    { maxLength: 2 },
  ),
  traceTransfers: fc.boolean(),
  validation: fc.boolean(),
  returnFullTransactions: fc.boolean(),
})

/** Through text, as it travels. */
function roundTrip<T>(name: string, codec: Codec<T>, values: fc.Arbitrary<T>): void {
  test(name, () => {
    fc.assert(
      fc.property(values, (value) => {
        const wire: unknown = JSON.parse(JSON.stringify(codec.encode(value)))
        // `data` comes back in a Buffer: the same bytes of another class.
        expect(normal(codec.decode(wire))).toEqual(normal(value))
      }),
    )
  })
}

function normal(value: unknown): unknown {
  if (value instanceof Uint8Array) return bytesToHex(value)
  if (value instanceof Map) return new Map(Array.from(value, ([key, item]) => [key, normal(item)]))
  if (Array.isArray(value)) return value.map(normal)
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, normal(item)]))
}

describe('what is written is read back', () => {
  roundTrip('boolean', boolean, fc.boolean())
  roundTrip('quantity', quantity, word)
  roundTrip('64-bit quantity', quantity64, u64)
  roundTrip('count', count, fc.maxSafeNat())
  roundTrip('milliseconds', milliseconds, fc.maxSafeNat())
  roundTrip('data', data, anyBytes)
  roundTrip('hash', hash, hashes)
  roundTrip('address', address, addresses)
  roundTrip('storage key', storageKey, bytes(32).map(toSlot))
  roundTrip('block height', blockHeight, height)
  roundTrip('block reference', blockReference, reference)
  roundTrip('log filter', logFilter, filter)
  roundTrip('call object', callObject, call)
  roundTrip('state overrides', stateOverrides, accounts)
  roundTrip('block overrides', blockOverrides, block)
  roundTrip('simulation payload', simulationPayload, payload)
})

describe('what is not as it should be is refused', () => {
  test.each([
    [quantity, '0x00', 'hex number with leading zero digits'],
    [quantity, '0x', 'hex string "0x"'],
    [quantity, '', 'empty hex string'],
    [quantity, '10', 'hex string without 0x prefix'],
    [quantity, '0xg', 'invalid hex string'],
    [quantity, `0x1${'0'.repeat(64)}`, 'hex number > 256 bits'],
    [quantity64, `0x1${'0'.repeat(16)}`, 'hex number > 64 bits'],
    [data, '0x1', 'hex string of odd length'],
    [data, '0x0g', 'invalid hex string'],
    [hash, '0x12', 'hex string has length 2, want 64 for 32 bytes'],
    [address, `0x${'1'.repeat(42)}`, 'hex string has length 42, want 40 for 20 bytes'],
    [storageKey, `0x${'0'.repeat(65)}`, `storage key too long (want at most 32 bytes): "0x${'0'.repeat(65)}"`],
    [storageKey, '0xasdf', 'invalid hex in storage key: "0xasdf"'],
    [blockReference, {}, 'an object here names blockNumber or blockHash'],
    [callObject, { data: '0x01', input: '0x02' }, 'both "data" and "input" are set and not equal'],
    [simulationPayload, {}, 'missing member blockStateCalls'],
  ])('%#: %j', (codec, json, message) => {
    expect(() => codec.decode(json)).toThrow(message)
  })

  test('members of a prototype are not members', () => {
    expect(callObject.decode(JSON.parse('{"__proto__":{"gas":"0x1"},"constructor":1}'))).toEqual({})
  })
})
