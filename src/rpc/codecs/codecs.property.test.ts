import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { bundledCallLists, stateContexts, transactionBundles } from '../../../test/support/bundle-values.ts'
import { durationRanges, fixedDurations, reorganizations, resets } from '../../../test/support/development-values.ts'
import { schemaViolations } from '../../../test/support/json-schema.ts'
import { normal } from '../../../test/support/normal-value.ts'
import { PARAMETER_MEMBERS } from '../../../test/support/parameter-members.ts'
import {
  conditionalChoices,
  depositRequests,
  logFilters,
  validityChoices,
} from '../../../test/support/parameter-values.ts'
import { propertyRuns } from '../../../test/support/runs.ts'
import { durations, tracer, traceTypeSets } from '../../../test/support/trace-choices.ts'
import { bundles, typedDatas } from '../../../test/support/wallet-values.ts'
import type { AccountOverride } from '../../engine/call/state-overrides.ts'
import { bytesToHex, toAddress, toHash, toSlot } from '../../primitives/hex.ts'
import { toQuantity } from '../../primitives/quantity.ts'
import { RPC_METHODS } from '../methods/all-methods.ts'
import { RPC_CODES, RpcError } from '../protocol/errors.ts'
import { conditionalOptions } from '../sending/conditional-options.ts'
import { validityOptions } from '../sending/validity-codec.ts'
import { typedData } from '../signing/typed-data-codec.ts'
import { subscriptionOptions } from '../subscriptions/subscription-options.ts'
import { callBundle } from '../wallet/send-calls-codec.ts'
import { accessList, authorizationList } from './access-list.ts'
import { blockHeight, blockReference, numericHeight } from './block-reference.ts'
import { boolean } from './boolean.ts'
import { address, data, hash } from './bytes.ts'
import { callObject } from './call-object.ts'
import { type Codec, InvalidValueError } from './codec.ts'
import { depositRequest } from './deposit.ts'
import { reorgTransactions } from './development/reorg-transactions.ts'
import { flexibleData, hexSlotNumber, resetOptions, slotNumber } from './development/state-values.ts'
import { duration } from './duration.ts'
import { logCriteria, logFilter } from './log-filter.ts'
import { durationRange, fixedDuration, mineOptions, mineTimestamp } from './mining.ts'
import { ignoredObject, ignoredValue } from './object.ts'
import { blockOverrides, stateOverrides } from './overrides.ts'
import { payloadAttributes } from './payload-attributes.ts'
import { proofKey } from './proof-key.ts'
import {
  count,
  flexibleNumber,
  flexibleQuantity,
  flexibleQuantity64,
  givenHeight,
  quantity,
  quantity64,
} from './quantity.ts'
import { bundledCalls, stateContext, transactionBundle } from './simulation/call-bundles.ts'
import { simulationPayload } from './simulation/simulation-payload.ts'
import { blockCount, milliseconds, percentile, plainNumber, wholeNumber } from './small-numbers.ts'
import { storageKey } from './storage-key.ts'
import { storageRequests } from './storage-requests.ts'
import { httpAddress, text } from './text.ts'
import { traceAddress, tracedCalls, traceFilter, traceTypes } from './traces/parity-trace.ts'
import { recordingOptions, reportRange } from './traces/report-range.ts'
import { traceCallConfig, traceConfig, traceManyConfig } from './traces/trace-config.ts'
import { withdrawal } from './withdrawal.ts'

const RANDOM = propertyRuns(10_000)
const ROUND_TRIPS = Math.ceil(RANDOM / 20)
/** What codecs that know better than `invalid argument` answer. */
const CODES = [RPC_CODES.invalidParams, RPC_CODES.server]
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
const accessLists = fc.array(fc.record({ address: addresses, storageKeys: fc.array(hashes, { maxLength: 2 }) }), {
  maxLength: 2,
})
const authorizations = fc.array(
  fc.record({ chainId: word, address: addresses, nonce: u64, yParity: fc.nat(1), r: word, s: word }),
  { maxLength: 2 },
)
const topics = fc.array(fc.array(hashes, { maxLength: 2 }), { maxLength: 4 })
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
    accessList: accessLists,
    authorizationList: authorizations,
    blobVersionedHashes: fc.array(hashes, { maxLength: 2 }),
    maxFeePerBlobGas: word,
  },
  partial,
)
const slotNumbers = bytes(32).map(toSlot)
const slots = fc.array(fc.tuple(bytes(32).map(toSlot), word), { maxLength: 3 }).map((entries) => new Map(entries))
const account: fc.Arbitrary<AccountOverride> = fc.record(
  { nonce: u64, balance: word, code: anyBytes, state: slots, stateDiff: slots, movePrecompileTo: addresses },
  partial,
)
const accounts = fc.array(fc.tuple(addresses, account), { maxLength: 3 }).map((entries) => new Map(entries))
const withdrawals = fc.record({ index: u64, validatorIndex: u64, address: addresses, amount: u64 })
const block = fc.record(
  {
    number: fc.maxSafeNat(),
    time: u64,
    gasLimit: u64,
    feeRecipient: addresses,
    prevRandao: hashes,
    baseFeePerGas: word,
    blobBaseFee: word,
    withdrawals: fc.array(withdrawals, { maxLength: 2 }),
  },
  partial,
)
const filter = logFilters(height, hashes, addresses)
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
        expect(schemaViolations(codec.schema, wire)).toEqual([])
      }),
      { numRuns: ROUND_TRIPS },
    )
  })
}

interface Tested<T> {
  readonly name: string
  readonly codec: Codec<T>
  readonly values: fc.Arbitrary<T>
}

function tested<T>(name: string, codec: Codec<T>, values: fc.Arbitrary<T>): Tested<T> {
  return { name, codec, values }
}

const proofKeys = fc.tuple(bytes(32).map(toSlot), fc.boolean()).map(([slot, isWhole]) => ({
  slot,
  written: isWhole ? slot : toQuantity(BigInt(slot)),
}))
const options = fc.oneof(
  fc.record({ kind: fc.constant('flag' as const), flag: fc.boolean() }),
  fc.record({
    kind: fc.constant('object' as const),
    criteria: fc.option(fc.record({ addresses: fc.array(addresses, { maxLength: 3 }), topics }), { nil: undefined }),
    raw: fc.boolean(),
    transactionHashes: fc.array(hashes, { maxLength: 2 }),
  }),
)

const attributes = fc.record({
  timestamp: u64,
  prevRandao: hashes,
  suggestedFeeRecipient: addresses,
  withdrawals: fc.array(withdrawals, { maxLength: 2 }),
  parentBeaconBlockRoot: hashes,
})
const requests = fc
  .array(fc.tuple(addresses, fc.array(bytes(32).map(toSlot), { maxLength: 3 })), { maxLength: 3 })
  .map((entries) => new Map(entries))
const traceFilters = fc.record(
  {
    fromBlock: height,
    toBlock: height,
    fromAddress: fc.array(addresses, { maxLength: 2 }),
    toAddress: fc.array(addresses, { maxLength: 2 }),
    mode: fc.constantFrom('union' as const, 'intersection' as const),
    after: fc.nat(),
    count: fc.nat(),
  },
  partial,
)

const reportRanges = fc.record(
  { fromBlock: height, toBlock: height, timeout: durations, includeDetails: fc.boolean() },
  partial,
)

const CODECS = [
  tested('boolean', boolean, fc.boolean()),
  tested('text', text, fc.string()),
  tested('HTTP address', httpAddress, fc.webUrl()),
  tested('object without members', ignoredObject, fc.constant({})),
  tested('ignored value', ignoredValue, fc.oneof(fc.boolean(), fc.string(), fc.array(fc.string()))),
  tested('validity predicates', validityOptions, validityChoices),
  tested('conditions', conditionalOptions, conditionalChoices),
  tested('deposit', depositRequest, depositRequests),
  tested('quantity', quantity, word),
  tested('64-bit quantity', quantity64, u64),
  tested('count', count, fc.maxSafeNat()),
  tested('given height', givenHeight, fc.maxSafeNat()),
  tested('milliseconds', milliseconds, fc.maxSafeNat()),
  tested('block count', blockCount, fc.maxSafeNat()),
  tested(
    'percentile',
    percentile,
    fc.double({ min: 0, max: 100, noNaN: true }).map((value) => value || 0),
  ),
  tested('data', data, anyBytes),
  tested('hash', hash, hashes),
  tested('address', address, addresses),
  tested('storage key', storageKey, bytes(32).map(toSlot)),
  tested('proof key', proofKey, proofKeys),
  tested('block height', blockHeight, height),
  tested('block reference', blockReference, reference),
  tested('log criteria', logCriteria, fc.record({ addresses: fc.array(addresses, { maxLength: 3 }), topics })),
  tested('log filter', logFilter, filter),
  tested('access list', accessList, accessLists),
  tested('authorization list', authorizationList, authorizations),
  tested('call object', callObject, call),
  tested('state overrides', stateOverrides, accounts),
  tested('block overrides', blockOverrides, block),
  tested('simulation payload', simulationPayload, payload),
  tested('subscription options', subscriptionOptions, options),
  tested('duration', duration, durations),
  tested('withdrawal', withdrawal, withdrawals),
  tested('payload attributes', payloadAttributes, attributes),
  tested('storage requests', storageRequests, requests),
  tested('plain number', plainNumber, fc.maxSafeNat()),
  tested('whole number', wholeNumber, fc.maxSafeNat()),
  tested('trace configuration', traceConfig, fc.record({ tracer, timeout: durations }, { requiredKeys: ['tracer'] })),
  tested(
    'trace configuration of a call',
    traceCallConfig,
    fc.record(
      { tracer, timeout: durations, stateOverrides: accounts, blockOverrides: block, txIndex: fc.maxSafeNat() },
      { requiredKeys: ['tracer'] },
    ),
  ),
  tested(
    'trace configuration of bundles',
    traceManyConfig,
    fc.record({ tracer, timeout: durations, stateOverrides: accounts }, { requiredKeys: ['tracer'] }),
  ),
  tested('trace types', traceTypes, traceTypeSets),
  tested('traced calls', tracedCalls, fc.array(fc.record({ request: call, types: traceTypeSets }), { maxLength: 2 })),
  tested('trace filter', traceFilter, traceFilters),
  tested('range of a report', reportRange, reportRanges),
  tested('options of a recording', recordingOptions, fc.record({ coverage: fc.boolean() }, partial)),
  tested('trace address', traceAddress, fc.array(fc.nat(), { maxLength: 3 })),
  tested('block number of an explorer', numericHeight, height),
  tested('flexible quantity', flexibleQuantity, word),
  tested('flexible quantity of 64 bits', flexibleQuantity64, u64),
  tested('flexible number', flexibleNumber, fc.maxSafeNat()),
  tested(
    'options of mining',
    mineOptions,
    fc.record({ timestamp: fc.option(u64, { nil: undefined }), blocks: fc.maxSafeNat() }),
  ),
  tested('timestamp of mining', mineTimestamp, fc.record({ timestamp: u64, blocks: fc.constant(1) })),
  tested('duration range', durationRange, durationRanges),
  tested('fixed duration', fixedDuration, fixedDurations),
  tested('bundled calls', bundledCalls, bundledCallLists(call, block)),
  tested('state context', stateContext, stateContexts(reference)),
  tested('bundle of transactions', transactionBundle, transactionBundles(height, addresses)),
  tested('flexible data', flexibleData, anyBytes),
  tested('slot number', slotNumber, slotNumbers),
  tested('slot number in hex', hexSlotNumber, slotNumbers),
  tested('options of a reset', resetOptions, resets),
  tested('transactions of a reorganization', reorgTransactions, reorganizations(call)),
  tested('typed data', typedData, typedDatas),
  tested('call bundle', callBundle, bundles),
  // Each is a pair of a codec and its values; together they have no common type.
] as unknown as readonly Tested<unknown>[]

describe('property: round-trips through JSON', () => {
  for (const { name, codec, values } of CODECS) roundTrip(name, codec, values)
})

const REFUSED = Symbol('refused')

/** Refused only as it is documented. */
function readOrRefused(codec: Codec<unknown>, value: unknown): unknown {
  try {
    return codec.decode(value)
  } catch (error) {
    if (error instanceof InvalidValueError) expect(error.text).not.toBe('')
    else if (error instanceof RpcError) expect(CODES).toContain(error.code)
    else throw error
    return REFUSED
  }
}

/** Like what the codecs write, with one thing or another that is not. */
const json = fc.letrec<{ value: unknown }>((tie) => ({
  value: fc.oneof(
    { maxDepth: 4, depthSize: 'small' },
    fc.constantFrom(
      ...[
        '0x',
        '0x0',
        '0x00',
        '0x1',
        '1',
        '',
        'latest',
        '0xg',
        '0X1',
        `0x${'f'.repeat(65)}`,
        '0x1 ',
        '1.5s',
        '0.1ns',
        '1m30s',
      ],
    ),
    bytes(20),
    bytes(32),
    fc.jsonValue({ maxDepth: 1 }),
    fc.array(tie('value'), { maxLength: 3 }),
    fc.dictionary(fc.oneof(fc.constantFrom(...PARAMETER_MEMBERS), bytes(20), bytes(32)), tie('value'), { maxKeys: 4 }),
  ),
})).value

describe(`${RANDOM} random values are decoded or rejected with a reason`, () => {
  test.each(CODECS.map(({ name, codec, values }) => [name, codec as Codec<unknown>, values] as const))(
    '%s',
    (_, codec, values) => {
      // What was written, with another value at a random member.
      const damaged = fc.tuple(values as fc.Arbitrary<unknown>, fc.nat(), json).map(([value, at, other]) => {
        const wire: unknown = JSON.parse(JSON.stringify(codec.encode(value)))
        if (typeof wire !== 'object' || wire === null) return other
        const keys = Object.keys(wire)
        return keys.length === 0 ? wire : { ...wire, [keys[at % keys.length]!]: other }
      })
      fc.assert(
        fc.property(fc.oneof(json, damaged), (value) => {
          const decoded = readOrRefused(codec, value)
          if (decoded === REFUSED) return
          // What was accepted means the same when it is written and read again.
          const again: unknown = JSON.parse(JSON.stringify(codec.encode(decoded)))
          expect(normal(codec.decode(again))).toEqual(normal(decoded))
        }),
        { numRuns: RANDOM },
      )
    },
  )
})

test('the tests cover every codec of a parameter', () => {
  const values = new Set<unknown>(CODECS.map(({ codec }) => codec))
  const lists = RPC_METHODS.flatMap(({ name, params }) =>
    params.filter(({ codec }) => !values.has(codec)).map((parameter) => `${name} ${parameter.name}`),
  )
  // Lists and objects of codecs that are here.
  expect(lists).toEqual([
    'eth_feeHistory rewardPercentiles',
    'eth_getProof storageKeys',
    'hardhat_addCompilationResult compilerOutput',
    'testing_buildBlockV1 transactions',
    'testing_commitBlockV1 transactions',
    'wallet_getCapabilities chainIds',
  ])
})
