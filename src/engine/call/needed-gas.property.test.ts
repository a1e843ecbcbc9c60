import { describe, expect, it } from 'vitest'
import { randomStatements } from '../../../test/fuzz/random-statements.ts'
import { address, COINBASE, ENV, LAYER_2, SENDER, stateOf } from '../../../test/support/engine-fixture.ts'
import { propertyRuns } from '../../../test/support/runs.ts'
import { testRandom } from '../../../test/support/test-seed.ts'
import { FORKS, type Fork } from '../../chain/forks/forks.ts'
import { hexToBytes } from '../../primitives/hex.ts'
import { createEngine } from '../session/create-engine.ts'
import type { Engine, Executed } from '../types.ts'
import { CALL_CHECKS, type CallRequest, withDefaults } from './call-message.ts'
import { estimateGas } from './estimate-gas.ts'

const RUNS = propertyRuns(150)
const CONTRACT = address(0xa1)
const OTHER = address(0xb1)
const AROUND = { accounts: [CONTRACT, OTHER, SENDER, COINBASE, address(0xdead)], precompiles: [address(2), address(4)] }
const GAS = 1_000_000n

const engine = createEngine({ config: LAYER_2 })

/** An engine whose results lack `neededGas`, so that estimates have to search. */
const searching: Engine = {
  config: engine.config,
  precompiles: (env) => engine.precompiles(env),
  open(env, state, options) {
    const session = engine.open(env, state, options)
    const call = session.call.bind(session)
    return Object.assign(session, {
      call: async (...of: Parameters<typeof call>) => {
        const result = await call(...of)
        return result.kind === 'executed' ? { ...result, neededGasLimit: undefined } : result
      },
    })
  },
}

interface Case {
  readonly fork: Fork
  readonly code: string
  readonly request: CallRequest
}

async function run({ fork, code, request }: Case, gasLimit: bigint): Promise<Executed | undefined> {
  const session = engine.open({ ...ENV, fork }, stateOf({ code: { [CONTRACT]: code, [OTHER]: '0x5a50' } }))
  try {
    const result = await session.call(withDefaults(request, gasLimit), CALL_CHECKS)
    return result.kind === 'executed' ? result : undefined
  } finally {
    session.close()
  }
}

/** Members of a result that do not depend on the gas limit. */
function seen({ status, gasUsed, output, logs }: Executed) {
  return { status, gasUsed, output: Buffer.from(output).toString('hex'), logs }
}

function randomCase(part: number, fork: Fork): Case {
  const random = testRandom(part)
  const code = `0x${randomStatements(random, AROUND, Math.floor(random() * 5)).join('')}`
  const fees = random() < 0.3 ? { maxFeePerGas: 20n, maxPriorityFeePerGas: 2n } : {}
  const data = new Uint8Array(Math.floor(random() * 200)).fill(random() < 0.5 ? 0 : 1)
  return { fork, code, request: { from: SENDER, to: CONTRACT, data, ...fees } }
}

describe('the gas that a message needs', () => {
  it.each(FORKS)('suffices for the same execution path, and one less does not: %s', async (fork) => {
    let compared = 0
    for (let part = 0; part < RUNS || compared < RUNS / 5; part++) {
      const one = randomCase(part, fork)
      const generous = await run(one, GAS)
      const needed = generous?.neededGasLimit
      if (generous === undefined || needed === undefined) continue
      compared++
      const note = `${fork}, case ${part}: ${one.code}`
      const exact = await run(one, needed)
      expect(exact && seen(exact), note).toEqual(seen(generous))
      expect((await run(one, needed - 1n))?.status, note).not.toBe('success')
    }
  })

  it.each(FORKS)('does not change an estimate: %s', async (fork) => {
    for (let part = 0; part < RUNS; part++) {
      const one = randomCase(part, fork)
      const env = { ...ENV, fork, gasLimit: GAS }
      const state = stateOf({ code: { [CONTRACT]: one.code, [OTHER]: '0x5a50' } })
      for (const errorRatio of [0, 0.015]) {
        const searched = await estimateGas(searching, env, state, one.request, { errorRatio })
        const cached = await estimateGas(engine, env, state, one.request, { errorRatio })
        expect(cached, `${fork}, case ${part}: ${one.code}`).toEqual(searched)
      }
    }
  })

  it('exceeds the gas used when a cheap write comes last, which requires a reserve of 2300 (EIP-2200)', async () => {
    const code = '0x5f5f555f5f5500'
    const result = await run({ fork: 'prague', code, request: { from: SENDER, to: CONTRACT } }, GAS)
    expect(result?.neededGasLimit).toBe(BigInt(result!.maxUsedGas) - 100n + 2_301n)
  })

  it.each([
    ['reads it', '0x5a50'],
    ['calls', `0x5f5f5f5f5f73${OTHER.slice(2)}61fffff150`],
    ['creates', '0x5f5f5ff050'],
    ['looks at a balance', '0x3331'],
    ['looks at its own balance', '0x47'],
    ['destroys itself', '0x33ff'],
  ])('is unknown for code that %s', async (what, code) => {
    const result = await run({ fork: 'prague', code, request: { from: SENDER, to: CONTRACT } }, GAS)
    expect(result?.status).toBe('success')
    expect(result?.neededGasLimit, what).toBeUndefined()
  })

  it('is unknown for creations and precompiles', async () => {
    const of = (request: CallRequest) => run({ fork: 'prague', code: '0x', request: { from: SENDER, ...request } }, GAS)
    expect(await of({ data: hexToBytes('0x5f5ff3') })).toMatchObject({ status: 'success' })
    expect((await of({ data: hexToBytes('0x5f5ff3') }))?.neededGasLimit).toBeUndefined()
    expect((await of({ to: address(4) }))?.neededGasLimit).toBeUndefined()
    expect((await of({ to: CONTRACT }))?.neededGasLimit).toBe(21_000n)
  })
})
