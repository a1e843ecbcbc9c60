import { expect, test } from 'vitest'
import {
  BOB,
  ENVIRONMENT,
  INVALID,
  LOG,
  POOR,
  returned,
  STORE,
  simulatedBlocks,
  simulationFixture,
  words,
} from '../../../test/support/simulation-fixture.ts'
import { EMPTY_TRIE_ROOT } from '../../chain/constants.ts'
import { EMPTY_BYTES, toAddress } from '../../primitives/hex.ts'
import { bigintToHash, bigintToSlot } from '../../primitives/quantity.ts'
import type { StateOverrides } from '../call/state-overrides.ts'
import type { SimulationPayload } from './simulation.ts'

const fixture = simulationFixture()
const { base } = fixture
const IDENTITY = toAddress(`0x${'4'.padStart(40, '0')}`)
const SHA256 = toAddress(`0x${'2'.padStart(40, '0')}`)
const OTHER_ADDRESS = toAddress(`0x${'123456'.padStart(40, '0')}`)

function simulated(payload: SimulationPayload) {
  return simulatedBlocks(fixture, payload)
}

function overrides(
  ...entries: [Parameters<StateOverrides['get']>[0], NonNullable<ReturnType<StateOverrides['get']>>][]
) {
  return new Map(entries)
}

test('block overrides are in the header and visible to contracts', async () => {
  const [first, second] = await simulated({
    blocks: [
      {
        blockOverrides: {
          number: 1,
          time: base.header.timestamp + 77n,
          gasLimit: 1_000_000n,
          feeRecipient: BOB,
          prevRandao: bigintToHash(5n),
          baseFeePerGas: 9n,
          blobBaseFee: 12n,
        },
        calls: [{ to: ENVIRONMENT.address }],
      },
      { calls: [{ to: ENVIRONMENT.address }] },
    ],
  })
  const time = base.header.timestamp + 77n
  expect(returned(first)).toEqual([1n, time, 9n, 5n, BigInt(BOB), 1_000_000n, 12n])
  expect(first!.header).toMatchObject({
    gasLimit: 1_000_000n,
    miner: BOB,
    mixHash: bigintToHash(5n),
    baseFeePerGas: 9n,
  })
  // Recipient and gas limit stay; base fee and randomness return to zero.
  expect(returned(second)).toEqual([2n, time + 2n, 0n, 0n, BigInt(BOB), 1_000_000n, 1n])
})

test('state overrides: stateDiff patches, state replaces, and both persist in later blocks', async () => {
  const reads = [1n, 2n, 3n].map((slot) => ({ to: STORE.address, data: words(slot) }))
  const patch = overrides([STORE.address, { stateDiff: new Map([[bigintToSlot(2n), 99n]]) }])
  const replace = overrides([STORE.address, { state: new Map([[bigintToSlot(3n), 33n]]) }])
  const blocks = await simulated({
    blocks: [{ stateOverrides: patch, calls: reads }, { calls: reads }, { stateOverrides: replace, calls: reads }],
  })
  const values = blocks.map((block) => [0, 1, 2].map((call) => returned(block, call)[0]))
  expect(values).toEqual([
    [11n, 99n, 0n],
    [11n, 99n, 0n],
    [0n, 0n, 33n],
  ])
})

test('stateDiff composes with what an earlier simulated block wrote to the same account', async () => {
  const blocks = await simulated({
    blocks: [
      { calls: [{ to: STORE.address, data: words(5n, 50n) }] },
      {
        stateOverrides: overrides([STORE.address, { stateDiff: new Map([[bigintToSlot(60n), 6n]]) }]),
        calls: [50n, 60n, 1n].map((slot) => ({ to: STORE.address, data: words(slot) })),
      },
    ],
  })
  expect([0, 1, 2].map((call) => returned(blocks[1], call)[0])).toEqual([5n, 6n, 11n])
})

test('balance, nonce and code overrides', async () => {
  const [block] = await simulated({
    blocks: [
      {
        stateOverrides: overrides([POOR, { balance: 1_000n, nonce: 4n }], [INVALID.address, { code: LOG.code }]),
        calls: [{ from: POOR, to: BOB, value: 1_000n }, { to: INVALID.address }, { from: POOR, data: EMPTY_BYTES }],
      },
    ],
  })
  expect(block!.calls.map(({ status }) => status)).toEqual([1, 1, 1])
  expect(block!.calls[1]!.logs).toHaveLength(1)
  expect(block!.transactions.map((transaction) => 'nonce' in transaction && transaction.nonce)).toEqual([4n, 0n, 5n])
})

test('a moved precompile runs only at its new address, in that block only', async () => {
  const data = words(123n)
  const calls = [
    { to: IDENTITY, data },
    { to: OTHER_ADDRESS, data },
  ]
  const blocks = await simulated({
    blocks: [{ stateOverrides: overrides([IDENTITY, { movePrecompileTo: OTHER_ADDRESS }]), calls }, { calls }],
  })
  expect(blocks.map((block) => block.calls.map(({ returnData }) => returnData.length))).toEqual([
    [0, 32],
    [32, 0],
  ])
})

test('override code of a precompile runs in its place', async () => {
  const code = ENVIRONMENT.code
  const [block] = await simulated({
    blocks: [{ stateOverrides: overrides([SHA256, { code }]), calls: [{ to: SHA256, data: words(1n) }] }],
  })
  expect(returned(block)[0]).toBe(1n)
  expect(block!.calls[0]!.returnData).toHaveLength(7 * 32)
})

test('withdrawals are credited after the calls and committed to', async () => {
  const withdrawals = [{ index: 1n, validatorIndex: 2n, address: POOR, amount: 3n }]
  const [block, next] = await simulated({
    blocks: [{ blockOverrides: { withdrawals } }, { calls: [{ from: POOR, to: BOB, value: 3_000_000_000n }] }],
  })
  expect(block!.withdrawals).toEqual(withdrawals)
  expect(block!.header.withdrawalsRoot).not.toBe(EMPTY_TRIE_ROOT)
  expect(next!.calls[0]!.status).toBe(1)
})
