import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { address, callTo, ENV, LAYER_2, NO_CHECKS, SENDER, stateOf } from '../../../test/support/engine-fixture.ts'
import { bytesToHex, hexToBytes } from '../../primitives/hex.ts'
import { bigintToHash } from '../../primitives/quantity.ts'
import type { StateReader } from '../../state/state-reader.ts'
import { createEngine } from '../session/create-engine.ts'
import type { Call, Engine, Session } from '../types.ts'

/** Adds the first word of the call data to slot 0 and returns the sum. */
const COUNTER = address(0xc0de)
/** Creates a one-byte contract with its value and returns its address. */
const FACTORY = address(0xfac)
/** Sends its whole balance to the caller. */
const MORTAL = address(0xdead)
/** Sets transient slot 0 and returns it with the balance of the address in the call data. */
const PROBE = address(0x9b0be)
const CODE = {
  [COUNTER]: '0x5f545f35018060005560005260206000f3',
  [FACTORY]: '0x665f5f5360015ff35f526007601934f05f5260205ff3',
  [MORTAL]: '0x33ff',
  [PROBE]: '0x5f5c5f5260015f5d5f353160205260405ff3',
}
const BALANCES = { [MORTAL]: 7n }

/** Counts reads. */
class CountingReader implements StateReader {
  reads = 0
  readonly #below: StateReader

  constructor(below: StateReader) {
    this.#below = below
  }

  account(at: Parameters<StateReader['account']>[0]) {
    this.reads++
    return this.#below.account(at)
  }

  storage(...position: Parameters<StateReader['storage']>) {
    this.reads++
    return this.#below.storage(...position)
  }

  hasStorage(at: Parameters<StateReader['hasStorage']>[0]) {
    this.reads++
    return this.#below.hasStorage(at)
  }

  code(hash: Parameters<StateReader['code']>[0]) {
    this.reads++
    return this.#below.code(hash)
  }

  blockHash(number: number) {
    this.reads++
    return this.#below.blockHash(number)
  }
}

function newState(): CountingReader {
  return new CountingReader(stateOf({ code: CODE, balances: BALANCES }))
}

function newEngine(): Engine {
  return createEngine({ config: LAYER_2 })
}

function count(by: bigint): Call {
  return callTo(COUNTER, { data: hexToBytes(bigintToHash(by)) })
}

/** Runs a message and reverts it. */
async function ask(engine: Engine, state: StateReader, ...calls: readonly Call[]) {
  return inSession(engine, state, async (session) => {
    session.checkpoint()
    const results = []
    for (const call of calls) results.push(await session.call(call, NO_CHECKS))
    session.revert()
    return results
  })
}

async function inSession<T>(engine: Engine, state: StateReader, use: (session: Session) => Promise<T>): Promise<T> {
  const session = engine.open(ENV, state)
  try {
    return await use(session)
  } finally {
    session.close()
  }
}

describe('consecutive sessions on the same state', () => {
  it('reuse what an earlier session read and did not change', async () => {
    const engine = newEngine()
    const state = newState()
    const [first] = await ask(engine, state, count(5n))
    const { reads } = state
    expect(reads).toBeGreaterThan(3)
    expect(await ask(engine, state, count(5n))).toEqual([first])
    expect(state.reads).toBe(reads)
  })

  it('reuse nothing of a session that kept its changes', async () => {
    const engine = newEngine()
    const state = newState()
    const [first] = await ask(engine, state, count(5n))
    const { reads } = state
    await inSession(engine, state, async (session) => {
      await session.call(count(3n), NO_CHECKS)
      expect(session.takeDiff().accounts.has(COUNTER)).toBe(true)
    })
    expect(await ask(engine, state, count(5n))).toEqual([first])
    expect(state.reads).toBeGreaterThan(reads)
  })

  it('do not see an open message of a closed session', async () => {
    const engine = newEngine()
    const state = newState()
    const [first] = await ask(engine, state, count(5n))
    await inSession(engine, state, async (session) => {
      session.checkpoint()
      await session.call(count(3n), NO_CHECKS)
    })
    expect(await ask(engine, state, count(5n))).toEqual([first])
  })

  it('recreate a contract that an earlier session created and reverted', async () => {
    const engine = newEngine()
    const state = newState()
    const [first, second] = await ask(engine, state, callTo(FACTORY, { value: 1n }), callTo(FACTORY))
    const made = (result: typeof first) => result?.kind === 'executed' && result.output.some((byte) => byte !== 0)
    expect([made(first), made(second)]).toEqual([true, true])
    expect(await ask(engine, state, callTo(FACTORY, { value: 1n }), callTo(FACTORY))).toEqual([first, second])
  })

  it('see their own state and block after sessions on other states', async () => {
    const engine = newEngine()
    const other = stateOf({ code: { [COUNTER]: '0x425f5260205ff3' } })
    const state = newState()
    const [first] = await ask(engine, state, count(5n))
    for (const timestamp of [1n, 2n]) {
      const session = engine.open({ ...ENV, timestamp }, other)
      session.checkpoint()
      const result = await session.call(callTo(COUNTER), NO_CHECKS)
      expect(result.kind === 'executed' && bytesToHex(result.output)).toBe(bigintToHash(timestamp))
      session.revert()
      session.close()
      expect(await ask(engine, state, count(5n))).toEqual([first])
    }
  })

  it('return the same as the first session of a new engine, after any calls', async () => {
    const call = fc.oneof(
      fc.bigInt({ min: 0n, max: 3n }).map(count),
      fc.bigInt({ min: 0n, max: 2n }).map((value) => callTo(FACTORY, { value })),
      fc.constant(callTo(MORTAL)),
      fc
        .constantFrom(SENDER, MORTAL, FACTORY, address(0x123))
        .map((of) => callTo(PROBE, { data: hexToBytes(bigintToHash(BigInt(of))) })),
      fc.bigInt({ min: 0n, max: 2n }).map((value) => callTo(address(0x123), { value })),
      fc.constant(count(1n)).map((dear) => ({ ...dear, gasLimit: 30_000n })),
    )
    const request = fc.array(call, { minLength: 1, maxLength: 4 })
    await fc.assert(
      fc.asyncProperty(fc.array(request, { minLength: 2, maxLength: 6 }), async (requests) => {
        const engine = newEngine()
        const state = newState()
        for (const calls of requests) {
          expect(await ask(engine, state, ...calls)).toEqual(await ask(newEngine(), state, ...calls))
        }
      }),
      { numRuns: 40 },
    )
  })
})
