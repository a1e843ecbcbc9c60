import { expect, test } from 'vitest'
import {
  ALICE,
  BOB,
  CALLER,
  INVALID,
  LOOP,
  NOPE,
  POOR,
  STORE,
  simulationFixture,
  WRITER,
  words,
} from '../../../test/support/simulation-fixture.ts'
import { type Address, hexToBytes, toAddress, toHash } from '../../primitives/hex.ts'
import { blockEnv } from '../block/block-env.ts'
import { CALL_CHECKS, type CallRequest, callMessage } from './call-message.ts'
import { type EstimateGasOptions, estimateGas, type InnerGas } from './estimate-gas.ts'
import { overriddenState, resolveOverrides } from './state-overrides.ts'

const { engine, base } = simulationFixture()
const ENV = blockEnv(base.header, engine.config)

function estimate(request: CallRequest, options: EstimateGasOptions = {}) {
  return estimateGas(engine, ENV, base.state, request, options)
}

function callOf(request: CallRequest) {
  const message = callMessage(request, ENV, engine.config.chainId, 50_000_000n)
  if (message.kind === 'invalid') throw new Error('invalid')
  return message.call
}

async function succeedsWith(request: CallRequest, gas: bigint): Promise<boolean> {
  const session = engine.open(ENV, base.state)
  try {
    const result = await session.call(callOf({ ...request, gas }), CALL_CHECKS)
    return result.kind === 'executed' && result.status === 'success'
  } finally {
    session.close()
  }
}

test('a plain transfer needs 21000', async () => {
  expect(await estimate({ from: ALICE, to: BOB, value: 1n })).toEqual({ kind: 'estimated', gas: 21_000n })
})

test('a transfer with an access list needs more', async () => {
  const accessList = [{ address: BOB, storageKeys: [toHash(`0x${'00'.repeat(32)}`)] }]
  const result = await estimate({ from: ALICE, to: BOB, value: 1n, accessList }, { errorRatio: 0 })
  expect(result).toEqual({ kind: 'estimated', gas: 21_000n + 2_400n + 1_900n })
})

test.each<[string, CallRequest]>([
  ['a write', { to: STORE.address, data: words(7n, 9n) }],
  ['a write that earns a refund', { to: STORE.address, data: words(0n, 1n) }],
  ['many writes', { to: WRITER.address }],
  ['a call that keeps a 64th back (EIP-150)', { to: CALLER.address }],
  ['a creation', { data: hexToBytes('0x600a600c600039600a6000f3602a60005260206000f3') }],
  ['much calldata (EIP-7623)', { to: STORE.address, data: new Uint8Array(10_000).fill(1) }],
])('the exact estimate suffices and one less does not: %s', async (_name, request) => {
  const result = await estimate(request, { errorRatio: 0 })
  if (result.kind !== 'estimated') throw new Error(result.kind)
  expect(await succeedsWith(request, result.gas)).toBe(true)
  expect(await succeedsWith(request, result.gas - 1n)).toBe(false)
})

const SWALLOWING = toAddress(`0x${'00'.repeat(19)}b1`)

/** The state with a contract that calls another one with this gas, forwards its word and ignores the outcome. */
function stateWith(callee: Address, gas: string) {
  const code = hexToBytes(`0x5f355f5260205f60205f5f73${callee.slice(2)}${gas}f15000`)
  const resolved = resolveOverrides(new Map([[SWALLOWING, { code }]]), base.state, new Set())
  if (resolved.kind === 'refused') throw new Error('refused')
  return overriddenState(base.state, resolved.diff)
}

function estimateSwallowed(callee: Address, options: EstimateGasOptions, gas = '5a') {
  return estimateGas(engine, ENV, stateWith(callee, gas), { to: SWALLOWING, data: words(1n) }, options)
}

test.each([0, undefined])(
  'a strict estimate leaves enough gas for an inner call whose failure is ignored (%s)',
  async (errorRatio) => {
    const lenient = await estimateSwallowed(WRITER.address, { errorRatio })
    const strict = await estimateSwallowed(WRITER.address, { errorRatio, innerGas: 'strict' })
    if (lenient.kind !== 'estimated' || strict.kind !== 'estimated') throw new Error('not estimated')
    const writtenWith = async (gas: bigint) => {
      const session = engine.open(ENV, stateWith(WRITER.address, '5a'))
      await session.call(callOf({ to: SWALLOWING, data: words(1n), gas }), CALL_CHECKS)
      const written = session.state.storage(WRITER.address, toSlotOne())
      session.close()
      return written
    }

    expect(await writtenWith(lenient.gas)).toBe(0n)
    expect(await writtenWith(strict.gas)).toBe(1n)
    if (errorRatio === 0) expect(await writtenWith(strict.gas - 1n)).toBe(0n)
  },
)

test('a strict estimate tolerates inner calls that run out of gas with any limit', async () => {
  const lenient = await estimateSwallowed(WRITER.address, { errorRatio: 0 }, '610fff')
  const strict = await estimateSwallowed(WRITER.address, { errorRatio: 0, innerGas: 'strict' }, '610fff')

  expect(strict).toEqual(lenient)
})

test.each([
  ['a precompile', '0x5f5f6127105f5f60025af15000'],
  ['the deposit of code', '0x7f60205ff3000000000000000000000000000000000000000000000000000000005f5260205f5ff05000'],
])('a strict estimate counts %s that runs out of gas, too', async (_, code) => {
  const resolved = resolveOverrides(new Map([[SWALLOWING, { code: hexToBytes(code) }]]), base.state, new Set())
  if (resolved.kind === 'refused') throw new Error('refused')
  const state = overriddenState(base.state, resolved.diff)
  const of = async (innerGas: InnerGas) => {
    const result = await estimateGas(engine, ENV, state, { to: SWALLOWING }, { errorRatio: 0, innerGas })
    return result.kind === 'estimated' ? result.gas : -1n
  }

  expect(await of('strict')).toBeGreaterThan(await of('go-ethereum'))
})

test('an estimate may have to exceed the intrinsic gas', async () => {
  const transfer = { from: ALICE, to: BOB, value: 1n }

  expect(await estimate(transfer, { exceedsIntrinsicGas: true })).toEqual({ kind: 'estimated', gas: 21_001n })
  expect(
    await estimate({ ...transfer, data: new Uint8Array(1) }, { exceedsIntrinsicGas: true, errorRatio: 0 }),
  ).toEqual({
    kind: 'estimated',
    gas: 21_010n,
  })
})

test('by default the estimate suffices and is at most 1.5 % too high', async () => {
  const request = { to: CALLER.address }
  const result = await estimate(request)
  const exact = await estimate(request, { errorRatio: 0 })
  if (result.kind !== 'estimated' || exact.kind !== 'estimated') throw new Error('not estimated')
  expect(await succeedsWith(request, result.gas)).toBe(true)
  expect(Number(result.gas - exact.gas) / Number(result.gas)).toBeLessThan(0.015)
  expect(await estimate(request)).toEqual(result)
})

test('reports a revert with its data', async () => {
  const result = await estimate({ to: NOPE.address })
  expect(result).toMatchObject({ kind: 'reverted' })
  expect(result.kind === 'reverted' && result.output).toHaveLength(100)
})

test('reports a halt for another reason than gas', async () => {
  const result = await estimate({ to: INVALID.address })
  expect(result).toEqual({ kind: 'halted', reason: expect.stringContaining('invalid opcode') })
})

test('reports a call that needs more than block, cap, request or transaction cap allow', async () => {
  const loop = { to: LOOP.address }
  const allowance = (gas: bigint) => ({ kind: 'allowance', gas })
  expect(await estimate(loop, { gasCap: 100_000n })).toEqual(allowance(100_000n))
  expect(await estimate({ ...loop, gas: 30_000n })).toEqual(allowance(30_000n))
  const small = { ...ENV, gasLimit: 50_000n }
  expect(await estimateGas(engine, small, base.state, loop)).toEqual(allowance(50_000n))
  // 16,777,216 on this chain (EIP-7825); a loop of that much gas takes long, so calldata consumes it here.
  const data = new Uint8Array(420_000).fill(1)
  expect(await estimate({ to: BOB, data }, { gasCap: 50_000_000n })).toEqual(allowance(16_777_216n))
})

test('limits the gas to what the balance covers at the offered fees', async () => {
  const balance = 6_000_000n * 30_000n + 5n
  const overrides = resolveOverrides(new Map([[POOR, { balance }]]), base.state, new Set())
  if (overrides.kind === 'refused') throw new Error('refused')
  const state = overriddenState(base.state, overrides.diff)
  const fees = { from: POOR, maxFeePerGas: 6_000_000n }
  const write = { ...fees, to: STORE.address, data: words(7n, 9n), value: 5n }
  expect(await estimateGas(engine, ENV, state, write)).toEqual({ kind: 'allowance', gas: 30_000n })
  expect(await estimateGas(engine, ENV, state, { ...fees, to: BOB })).toEqual({ kind: 'estimated', gas: 21_000n })
  const all = await estimateGas(engine, ENV, state, { ...fees, to: BOB, value: balance })
  expect(all).toMatchObject({ kind: 'invalid', error: { code: 'INSUFFICIENT_FUNDS', address: POOR } })
})

test('reports an invalid call', async () => {
  const value = { from: POOR, to: BOB, value: 1n }
  expect(await estimate(value)).toMatchObject({ kind: 'invalid', error: { code: 'INSUFFICIENT_FUNDS' } })
  expect(await estimate({ chainId: 1n })).toMatchObject({ kind: 'invalid', error: { code: 'WRONG_CHAIN_ID' } })
})

test('writes nothing', async () => {
  await estimate({ to: STORE.address, data: words(7n, 1n) })
  expect(base.state.storage(STORE.address, toSlotOne())).toBe(11n)
})

function toSlotOne() {
  return `0x${'1'.padStart(64, '0')}` as Parameters<typeof base.state.storage>[1]
}
