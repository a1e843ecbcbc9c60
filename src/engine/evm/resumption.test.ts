import { describe, expect, it } from 'vitest'
import {
  address,
  callTo,
  ENV,
  executed,
  LAYER_2,
  NO_CHECKS,
  SENDER,
  stateOf,
} from '../../../test/support/engine-fixture.ts'
import { NotHereYet, SlowReader } from '../../../test/support/slow-reader.ts'
import { bytesToHex } from '../../primitives/hex.ts'
import { bigintToSlot } from '../../primitives/quantity.ts'
import { createEngine } from '../session/create-engine.ts'

const CALLER = address(0xa1)
const STORE = address(0xb1)
/** Copies its own code's hash, calls STORE three times, reads BLOCKHASH of block 5, returns it. */
const CALLER_CODE = `0x73${STORE.slice(2)}3f50${`600060006000600073${STORE.slice(2)}5af4`.repeat(1)}50${`60006000600060006000${`73${STORE.slice(2)}`}5af150`.repeat(3)}600540600052602060${'00'}f3`
/** Adds one to slots 0 and 1, writes a log. */
const STORE_CODE = '0x6000546001016000556001546001016001556000600060aaa100'

describe('a run on a state that is not loaded', () => {
  it('leaves no trace when it is abandoned, and ends the same when every item arrives, one per attempt', async () => {
    const code = { [CALLER]: CALLER_CODE, [STORE]: STORE_CODE }
    const engine = createEngine({ config: LAYER_2 })
    const whole = engine.open(ENV, stateOf({ code }))
    const expected = executed(await whole.call(callTo(CALLER), NO_CHECKS))
    expect(expected.status).toBe('success')
    const expectedDiff = whole.takeDiff()

    const session = engine.open(ENV, new SlowReader(stateOf({ code })))
    let attempts = 0
    let result: Awaited<ReturnType<typeof session.call>> | undefined
    while (result === undefined) {
      attempts++
      result = await Promise.resolve(session.call(callTo(CALLER), NO_CHECKS)).catch((error: unknown) => {
        if (!(error instanceof NotHereYet)) throw error
        return undefined
      })
    }
    // Sender, the two contracts and their code, coinbase, four slots, the block hash; the vault is paid nothing.
    expect(attempts).toBe(11 + 1)
    expect(result).toEqual(expected)
    expect(session.takeDiff()).toEqual(expectedDiff)
    expect(session.state.account(SENDER)?.nonce).toBe(1n)
    expect(session.state.storage(STORE, bigintToSlot(0n))).toBe(3n)
    expect(bytesToHex(expected.output)).toBe(stateOf({}).blockHash(5))
  })
})

describe('a run of many slices', () => {
  /** Counts down from the number in the call data. */
  const LOOP = '0x6000355b60019003806003575000'
  /** Writes slot 0 and never ends. */
  const WRITE_AND_LOOP = '0x60076000555b600556'

  function rounds(count: number) {
    return Buffer.from(count.toString(16).padStart(64, '0'), 'hex')
  }

  it('uses the gas of all slices', async () => {
    const engine = createEngine({ config: LAYER_2 })
    const session = engine.open({ ...ENV, gasLimit: 1n << 40n }, stateOf({ code: { [CALLER]: LOOP } }))
    const used = async (count: number) => {
      return executed(await session.call(callTo(CALLER, { data: rounds(count), gasLimit: 1n << 33n }), NO_CHECKS))
        .gasUsed
    }
    const perRound = (await used(20_010)) - (await used(20_009))
    expect(await used(1_000_000)).toBeGreaterThan(1_000_000 * perRound)
    expect((await used(1_000_001)) - (await used(1_000_000))).toBe(perRound)
  })

  it('pauses every two million gas and lets other work run', async () => {
    const engine = createEngine({ config: LAYER_2 })
    const state = stateOf({ code: { [CALLER]: LOOP } })
    const env = { ...ENV, gasLimit: 1n << 40n }
    const others: bigint[] = []
    const session = engine.open(env, state, {
      mayContinue: async () => {
        await expect(session.call(callTo(CALLER), NO_CHECKS)).rejects.toMatchObject({ code: 'SESSION_BUSY' })
        const other = engine.open(env, state)
        others.push(BigInt(executed(await other.call(callTo(CALLER, { data: rounds(5) }), NO_CHECKS)).gasUsed))
        other.close()
        return true
      },
    })
    const whole = engine.open(env, state)
    const call = callTo(CALLER, { data: rounds(400_000), gasLimit: 1n << 33n })
    const { gasUsed } = executed(await session.call(call, NO_CHECKS))
    expect(gasUsed).toBe(executed(await whole.call(call, NO_CHECKS)).gasUsed)
    expect(others.length).toBe(Math.floor((gasUsed - 21_000) / 2_000_000))
    expect(new Set(others).size).toBe(1)
  })

  it('leaves no trace when it may not continue', async () => {
    const engine = createEngine({ config: LAYER_2 })
    let slices = 3
    const session = engine.open(
      ENV,
      stateOf({ code: { [CALLER]: `0x600a60005500${LOOP.slice(2)}`, [STORE]: WRITE_AND_LOOP } }),
      {
        mayContinue: () => slices-- > 0,
      },
    )
    const run = session.call(callTo(STORE, { gasLimit: 20_000_000n, value: 5n }), NO_CHECKS)
    await expect(run).rejects.toMatchObject({ code: 'EXECUTION_STOPPED' })
    expect(session.takeDiff().accounts.size).toBe(0)
    expect(executed(await session.call(callTo(CALLER), NO_CHECKS)).status).toBe('success')
    expect(session.takeDiff().storage.get(CALLER)?.size).toBe(1)
  })
})
