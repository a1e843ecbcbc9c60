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
} from '../../test/support/engine-fixture.ts'
import { bytesToHex } from '../primitives/hex.ts'
import { bigintToSlot } from '../primitives/quantity.ts'
import type { NativeContract } from './native-contract.ts'
import { createEngine } from './session/create-engine.ts'

const COUNTER = address(0xc0de)
const CALLER = address(0xca11)
const SLOT = bigintToSlot(0n)

/** Adds the value it receives to slot 0 of its account, and returns the caller. */
const counter: NativeContract = ({ caller, self, value, isStatic, state, gas }) => {
  if (isStatic || gas < 100n) return { kind: 'failed' }
  state.setStorage(self, SLOT, state.storage(self, SLOT) + value)
  return { kind: 'success', output: Buffer.from(caller.slice(2), 'hex'), gasUsed: 100n }
}

const engine = createEngine({ config: LAYER_2, nativeContracts: new Map([[COUNTER, counter]]) })

/** Calls the counter with 3 wei by `opcode`, then ends with `ending`. */
function caller(opcode: 'f1' | 'fa', ending: string): string {
  const value = opcode === 'f1' ? '6003' : ''
  return `0x6000600060006000${value}73${COUNTER.slice(2)}5a${opcode}${ending}`
}

async function run(code: string) {
  const session = engine.open(ENV, stateOf({ code: { [CALLER]: code } }))
  const result = executed(await session.call(callTo(CALLER, { value: 10n }), NO_CHECKS))
  return { result, session }
}

describe('a native contract', () => {
  it('writes the state of its frame and receives value', async () => {
    const { result, session } = await run(caller('f1', '60005260206000f3'))
    expect(BigInt(bytesToHex(result.output))).toBe(1n)
    expect(session.state.storage(COUNTER, SLOT)).toBe(3n)
    expect(session.state.account(COUNTER)?.balance).toBe(3n)
    expect(session.takeDiff().storage.get(COUNTER)?.get(SLOT)).toBe(3n)
  })

  it('is reverted with the calling frame', async () => {
    const { result, session } = await run(caller('f1', '60006000fd'))
    expect(result.status).toBe('revert')
    expect(session.takeDiff().storage.size).toBe(0)
  })

  it('sees that writes are not allowed', async () => {
    const { result, session } = await run(caller('fa', '60005260206000f3'))
    expect(BigInt(bytesToHex(result.output))).toBe(0n)
    expect(session.takeDiff().storage.size).toBe(0)
  })

  it('serves a transaction, charges its gas and knows its caller', async () => {
    const session = engine.open(ENV, stateOf({}))
    const result = executed(await session.call(callTo(COUNTER, { value: 4n }), NO_CHECKS))
    expect(result.gasUsed).toBe(21_100)
    expect(bytesToHex(result.output)).toBe(SENDER)
  })
})

describe('an interpreter that failed during a message', () => {
  it('is not reused by its session or another one', async () => {
    const failing = new Map([[COUNTER, () => raise(new RangeError('Maximum call stack size exceeded'))]])
    const broken = createEngine({ config: LAYER_2, nativeContracts: failing })
    const session = broken.open(ENV, stateOf({}))
    await expect(session.call(callTo(COUNTER), NO_CHECKS)).rejects.toThrow(RangeError)
    await expect(session.call(callTo(SENDER), NO_CHECKS)).rejects.toMatchObject({ code: 'SESSION_BROKEN' })
    expect(() => session.takeDiff()).toThrow(expect.objectContaining({ code: 'SESSION_BROKEN' }))
    session.close()
    const next = broken.open(ENV, stateOf({}))
    expect(executed(await next.call(callTo(SENDER), NO_CHECKS)).status).toBe('success')
  })
})

function raise(error: Error): never {
  throw error
}
