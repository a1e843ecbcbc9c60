import { expect, test } from 'vitest'
import { ALICE, BOB, ENVIRONMENT, readWords, simulationFixture } from '../../../test/support/simulation-fixture.ts'
import { EMPTY_BYTES, toHash, ZERO_ADDRESS } from '../../primitives/hex.ts'
import { blockEnv } from '../block/block-env.ts'
import type { BlockEnv } from '../types.ts'
import { overrideBlockEnv } from './block-overrides.ts'
import { CALL_CHECKS, type CallRequest, callMessage } from './call-message.ts'

const { engine, base } = simulationFixture()
const { chainId } = engine.config
const ENV = blockEnv(base.header, engine.config)

function message(request: CallRequest, gasCap = 1_000_000n, env: BlockEnv = ENV) {
  const result = callMessage(request, env, chainId, gasCap)
  if (result.kind === 'invalid') throw new Error(result.error.code)
  return result
}

async function run(request: CallRequest, env: BlockEnv = ENV) {
  const prepared = message(request, 1_000_000n, env)
  const session = engine.open(prepared.env, base.state)
  try {
    return await session.call(prepared.call, CALL_CHECKS)
  } finally {
    session.close()
  }
}

test('fills in defaults for all members', () => {
  expect(message({}).call).toEqual({
    from: ZERO_ADDRESS,
    to: null,
    gasLimit: 1_000_000n,
    value: 0n,
    data: EMPTY_BYTES,
    maxFeePerGas: 0n,
    maxPriorityFeePerGas: 0n,
    accessList: [],
  })
})

test.each([
  [undefined, 1_000_000n],
  [30_000n, 30_000n],
  [2_000_000n, 1_000_000n],
])('gas %s is capped: %s', (gas, limit) => {
  expect(message(gas === undefined ? {} : { gas }).call.gasLimit).toBe(limit)
})

test('a gas price sets both fees', () => {
  expect(message({ gasPrice: 7n }).call).toMatchObject({ maxFeePerGas: 7n, maxPriorityFeePerGas: 7n })
})

test("a call sees the block's base fee, with or without fees", () => {
  expect(message({ gasPrice: 0n }).env.baseFee).toBe(ENV.baseFee)
  expect(message({ maxFeePerGas: 6_000_000n }).env.baseFee).toBe(ENV.baseFee)
})

test("a call sees the block's blob base fee, unless it has blobs and offers nothing for them", () => {
  const blobVersionedHashes = [toHash(`0x01${'00'.repeat(31)}`)]
  const env = { ...ENV, blobBaseFee: 9n }

  expect(message({}, 1n, env).env.blobBaseFee).toBe(9n)
  expect(message({ blobVersionedHashes, maxFeePerBlobGas: 10n }, 1n, env).env.blobBaseFee).toBe(9n)
  expect(message({ blobVersionedHashes }, 1n, env).env.blobBaseFee).toBe(0n)
})

test('rejects invalid call arguments', () => {
  const both = callMessage({ gasPrice: 1n, maxPriorityFeePerGas: 1n }, ENV, chainId, 1n)
  expect(both).toEqual({ kind: 'invalid', error: { code: 'BOTH_FEE_STYLES' } })
  const otherChain = callMessage({ chainId: 1n }, ENV, chainId, 1n)
  expect(otherChain).toMatchObject({ kind: 'invalid', error: { code: 'WRONG_CHAIN_ID', actual: 1n } })
})

test('the balance must cover offered fees', async () => {
  expect(await run({ from: ALICE, to: BOB, maxFeePerGas: 1n })).toMatchObject({ error: { code: 'FEE_CAP_TOO_LOW' } })
  const tip = { maxFeePerGas: 6_000_000n, maxPriorityFeePerGas: 7_000_000n }
  expect(await run({ from: ALICE, to: BOB, ...tip })).toMatchObject({ error: { code: 'TIP_ABOVE_FEE_CAP' } })
  expect(await run({ from: ALICE, to: BOB, maxFeePerGas: 6_000_000n })).toMatchObject({ status: 'success' })
  expect(await run({ from: ALICE, to: BOB })).toMatchObject({ status: 'success' })
})

test('a call sees block overrides', async () => {
  const overrides = { number: 77, time: 1_900_000_000n, feeRecipient: BOB, gasLimit: 9n, blobBaseFee: 3n }
  const env = overrideBlockEnv(ENV, overrides, engine.config)
  expect(env.fork).toBe(ENV.fork)
  const result = await run({ to: ENVIRONMENT.address }, env)
  if (result.kind !== 'executed') throw new Error('invalid')
  const [number, time, baseFee, , coinbase, gasLimit] = readWords(result.output)
  expect([number, time, baseFee, coinbase, gasLimit]).toEqual([77n, 1_900_000_000n, ENV.baseFee, BigInt(BOB), 9n])
})
