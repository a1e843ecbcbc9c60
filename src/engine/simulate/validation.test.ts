import { expect, test } from 'vitest'
import {
  ALICE,
  BOB,
  POOR,
  STORE,
  simulatedBlocks,
  simulationFixture,
} from '../../../test/support/simulation-fixture.ts'
import { hexToBytes } from '../../primitives/hex.ts'
import { simulate } from './simulate.ts'
import type { SimulationPayload } from './simulation.ts'

const fixture = simulationFixture()
const { engine, base } = fixture

function outcome(payload: SimulationPayload) {
  return simulate(engine, base, payload, { blockTimeSeconds: 2n })
}

function simulated(payload: SimulationPayload) {
  return simulatedBlocks(fixture, payload, {})
}

test('with validation a block has a real base fee, and nonces, fees and funds are checked', async () => {
  const fee = { maxFeePerGas: 10_000_000n, maxPriorityFeePerGas: 0n, gas: 100_000n }
  const [block] = await simulated({ blocks: [{ calls: [{ from: ALICE, to: BOB, ...fee }] }], validation: true })
  expect(block!.header.baseFeePerGas).toBe(5_000_000n)
  const failing = async (call: object, code: string) => {
    const result = await outcome({ blocks: [{ calls: [call] }], validation: true })
    expect(result).toMatchObject({ kind: 'failed', error: { code: 'INVALID_TRANSACTION', error: { code } } })
  }
  await failing({ from: ALICE, to: BOB }, 'FEE_CAP_TOO_LOW')
  await failing({ from: ALICE, to: BOB, ...fee, nonce: 1n }, 'NONCE_TOO_HIGH')
  await failing({ from: POOR, to: BOB, ...fee }, 'INSUFFICIENT_FUNDS')
})

test('with validation rejects a sender that has code (EIP-3607), but not one that delegates (EIP-7702)', async () => {
  const fee = { maxFeePerGas: 10_000_000n, maxPriorityFeePerGas: 0n, gas: 100_000n }
  const call = { from: STORE.address, to: BOB, ...fee }
  const delegated = hexToBytes(`0xef0100${BOB.slice(2)}`)
  const funds = { balance: 10n ** 18n, nonce: 0n }

  const simulatedWith = (override: object) =>
    outcome({
      blocks: [{ calls: [call], stateOverrides: new Map([[STORE.address, { ...funds, ...override }]]) }],
      validation: true,
    })
  const rejected = await simulatedWith({})
  const accepted = await simulatedWith({ code: delegated })

  expect(rejected).toMatchObject({
    kind: 'failed',
    error: { code: 'INVALID_TRANSACTION', error: { code: 'SENDER_NOT_EOA', address: STORE.address } },
  })
  expect(accepted).toMatchObject({ kind: 'simulated' })
})

test('without validation nonces and senders are not checked, funds for the value are', async () => {
  const calls = [
    { from: ALICE, to: BOB, nonce: 100n },
    { from: ALICE, to: BOB, nonce: 0n },
    { from: STORE.address, to: BOB },
  ]
  const [block] = await simulated({ blocks: [{ calls }] })
  expect(block!.calls.map(({ status }) => status)).toEqual([1, 1, 1])
  const result = await outcome({ blocks: [{ calls: [{ from: POOR, to: BOB, value: 1_000n }] }] })
  expect(result).toEqual({
    kind: 'failed',
    error: {
      code: 'INVALID_TRANSACTION',
      gasLimit: 50_000_000n,
      error: { code: 'INSUFFICIENT_FUNDS', address: POOR, balance: 0n, cost: 1_000n, queuedCost: 0n },
    },
  })
})
