import { describe, expect, it } from 'vitest'
import { address, callTo, ENV, executed, LAYER_2, NO_CHECKS, stateOf } from '../../../test/support/engine-fixture.ts'
import { NotHereYet, SlowReader } from '../../../test/support/slow-reader.ts'
import type { Address } from '../../primitives/hex.ts'
import type { StateReader } from '../../state/state-reader.ts'
import { createEngine } from '../session/create-engine.ts'
import type { Tracer } from '../tracer.ts'
import type { Call, MayContinue } from '../types.ts'
import { opcodeName } from './opcode-names.ts'
import type { StructLog, StructLogOptions } from './struct-logger.ts'
import { StructLogger } from './struct-logger.ts'
import { TraceBudget, TraceTooLargeError } from './trace-budget.ts'

const engine = createEngine({ config: LAYER_2 })
const CALLER = address(0xa1)
const STORE = address(0xb1)
/** EXTCODEHASH and DELEGATECALL of STORE, three CALLs of it, BLOCKHASH of block 5, which is returned. */
const CALLER_CODE = `0x73${STORE.slice(2)}3f50${`600060006000600073${STORE.slice(2)}5af4`}50${`60006000600060006000${`73${STORE.slice(2)}`}5af150`.repeat(3)}6005406000526020${'6000'}f3`
/** Adds one to slots 0 and 1, writes a log. */
const STORE_CODE = '0x6000546001016000556001546001016001556000600060aaa100'
const CODE = { [CALLER]: CALLER_CODE, [STORE]: STORE_CODE }
/** Counts down from the number in the call data. */
const LOOP = '0x6000355b60019003806003575000'

interface Setting {
  readonly code: Readonly<Record<Address, string>>
  readonly state?: StateReader
  readonly tracer: Tracer
  readonly mayContinue?: MayContinue
}

function openTraced({ code, state = stateOf({ code }), tracer, mayContinue }: Setting) {
  return engine.open(ENV, state, { tracer: () => tracer, ...(mayContinue && { mayContinue }) })
}

async function logsOf(code: string | Setting['code'], options: StructLogOptions = {}, call: Partial<Call> = {}) {
  const tracer = new StructLogger(options, { budget: new TraceBudget(1 << 26) })
  const session = openTraced({ code: typeof code === 'string' ? { [CALLER]: code } : code, tracer })
  const result = executed(await session.call(callTo(CALLER, call), NO_CHECKS))
  session.close()
  return { logs: tracer.logs, result }
}

function names(logs: readonly StructLog[]): string {
  return logs.map(({ opcode }) => opcodeName(opcode)).join(' ')
}

describe('instruction reports', () => {
  it('are made once when the host provides data, one item per attempt', async () => {
    const whole = new StructLogger({ enableMemory: true }, { budget: new TraceBudget(1 << 26) })
    const expected = executed(await openTraced({ code: CODE, tracer: whole }).call(callTo(CALLER), NO_CHECKS))
    expect(expected.status).toBe('success')
    expect(names(whole.logs).match(/SSTORE/g)).toHaveLength(8)
    expect(names(whole.logs).match(/BLOCKHASH/g)).toHaveLength(1)

    const slow = new StructLogger({ enableMemory: true }, { budget: new TraceBudget(1 << 26) })
    const session = openTraced({ code: CODE, state: new SlowReader(stateOf({ code: CODE })), tracer: slow })
    let attempts = 0
    let result: unknown
    while (result === undefined) {
      attempts++
      result = await Promise.resolve(session.call(callTo(CALLER), NO_CHECKS)).catch((error: unknown) => {
        if (!(error instanceof NotHereYet)) throw error
        return undefined
      })
    }
    expect(attempts).toBe(11 + 1)
    expect(result).toEqual(expected)
    expect(slow.logs).toEqual(whole.logs)
  })

  it('are made once when the run pauses', async () => {
    let pauses = 0
    const mayContinue = async () => {
      pauses++
      return true
    }
    const counted: number[] = []
    let charges = 0
    const tracer: Tracer = {
      onStep: ({ opcode }) => {
        counted[opcode] = (counted[opcode] ?? 0) + 1
      },
      onCharged: () => {
        charges++
      },
    }
    const session = openTraced({ code: { [CALLER]: LOOP }, tracer, mayContinue })
    const data = Buffer.from((10_000).toString(16).padStart(64, '0'), 'hex')
    const result = executed(await session.call(callTo(CALLER, { data }), NO_CHECKS))
    expect(result.status).toBe('success')
    expect(pauses).toBeGreaterThan(10)
    expect([counted[0x5b], counted[0x57], counted[0x80], counted[0x35]]).toEqual([10_000, 10_000, 10_000, 1])
    expect(charges).toBe(counted.reduce((sum, count) => sum + count, 0))
  })

  it('have a cost equal to the gas difference to the next instruction', async () => {
    const { logs, result } = await logsOf(CODE)
    for (const [index, log] of logs.entries()) {
      const next = logs[index + 1]
      if (next !== undefined && next.depth === log.depth) expect(next.gas).toBe(log.gas - log.cost)
    }
    expect(logs[0]!.gas - logs.at(-1)!.gas).toBe(result.maxUsedGas - 21_000)
  })
})

describe('the struct logger', () => {
  it('reports the machine before each instruction, with JUMPDEST as a step of its own', async () => {
    const { logs } = await logsOf('0x600456fe5b00')
    expect(logs).toEqual([
      { programCounter: 0, opcode: 0x60, gas: 979_000, cost: 3, depth: 1, refund: 0, stack: [] },
      { programCounter: 2, opcode: 0x56, gas: 978_997, cost: 8, depth: 1, refund: 0, stack: [4n] },
      { programCounter: 4, opcode: 0x5b, gas: 978_989, cost: 1, depth: 1, refund: 0, stack: [] },
      { programCounter: 5, opcode: 0x00, gas: 978_988, cost: 0, depth: 1, refund: 0, stack: [] },
    ])
  })

  it('reports the same stack as a full read, across calls, swaps and duplicates', async () => {
    const seen: bigint[][] = []
    const logger = new StructLogger({}, { budget: new TraceBudget(1 << 26) })
    const tracer: Tracer = {
      onBegin: () => logger.onBegin(),
      onStep: (step) => {
        seen.push(Array.from({ length: step.stackSize }, (_, index) => step.word(step.stackSize - 1 - index)))
        logger.onStep(step)
      },
      onCharged: (charge) => logger.onCharged(charge),
    }
    const swaps = `0x6001600260036004600590916005830160a05260019203918160ff${CALLER_CODE.slice(2)}`
    await openTraced({ code: { ...CODE, [CALLER]: swaps }, tracer }).call(callTo(CALLER), NO_CHECKS)
    expect(seen.length).toBeGreaterThan(100)
    expect(logger.logs.map(({ stack }) => stack)).toEqual(seen)
  })

  it('reports memory, return data and every slot accessed, on request', async () => {
    // SSTORE(1, 7), SLOAD(1), SLOAD(2), MSTORE(0, 1), identity(32 bytes), RETURNDATASIZE.
    const code = '0x600760015560015450600254506001600052602060006020600060006004' + '5af1503d00'
    const { logs } = await logsOf(code, { enableMemory: true, enableReturnData: true })
    const storages = logs.flatMap(({ opcode, storage }) => (storage ? [[opcode, Object.fromEntries(storage)]] : []))
    expect(storages).toEqual([
      [0x55, { 1: 7n }],
      [0x54, { 1: 7n }],
      [0x54, { 1: 7n, 2: 0n }],
    ])
    const last = logs.at(-1)!
    const word = new Uint8Array(32)
    word[31] = 1
    expect(last.memory).toEqual(word)
    expect(last.returnData).toEqual(word)
    expect(logs.find(({ opcode }) => opcode === 0xf1)!.returnData).toBeUndefined()
    expect(logs.find(({ opcode }) => opcode === 0x52)!.memory).toBeUndefined()
  })

  it('omits what is disabled, and stops recording at the limit while the run continues', async () => {
    const { logs } = await logsOf(CODE, { disableStack: true, disableStorage: true })
    expect(logs.some((log) => 'stack' in log || 'storage' in log || 'memory' in log || 'returnData' in log)).toBe(false)
    const limited = await logsOf(CODE, { limit: 5 })
    expect(limited.logs).toHaveLength(5)
    expect(limited.logs.at(-1)!.cost).toBe(3)
    expect(limited.result.status).toBe('success')
  })

  it.each([
    ['0x01', 'stack underflow', 3],
    ['0x600056', 'invalid jump destination', 8],
    ['0xfe', 'invalid opcode: INVALID', 0],
    ['0x0c', 'invalid opcode: opcode 0xc not defined', 0],
    ['0x6005600060003e', 'return data out of bounds', 3],
  ])('%s ends with the fault %s at its cost', async (code, fault, cost) => {
    const { logs, result } = await logsOf(code)
    expect(logs.at(-1)).toMatchObject({ fault, cost })
    expect(result.halt).toBe(fault)
    expect(logs.slice(0, -1).every((log) => log.fault === undefined)).toBe(true)
  })

  it('reports the full cost of an instruction without enough gas', async () => {
    const { logs } = await logsOf('0x6001600155', {}, { gasLimit: 21_000n + 6n + 5_000n })
    expect(logs.at(-1)).toMatchObject({ fault: 'out of gas', gas: 5_000, cost: 22_100 })
    const last = (await logsOf('0x60016002600a0a', {}, { gasLimit: 21_000n + 9n + 20n })).logs.at(-1)
    expect(last).toMatchObject({ fault: 'out of gas', gas: 20, cost: 60 })
  })

  it('stops a trace that becomes too large without a trace in the state, and the interpreter stays usable', async () => {
    const tracer = new StructLogger({}, { budget: new TraceBudget(10_000) })
    const session = openTraced({ code: CODE, tracer })
    await expect(session.call(callTo(CALLER), NO_CHECKS)).rejects.toThrow(TraceTooLargeError)
    expect(session.takeDiff().accounts.size).toBe(0)
    session.close()
    expect((await logsOf(CODE)).result.status).toBe('success')
  })

  it('has no step for messages without code: transfers, precompiles, empty initcode', async () => {
    for (const to of [address(0xbeef), address(4), null]) {
      const tracer = new StructLogger({}, { budget: new TraceBudget(1 << 20) })
      const session = openTraced({ code: {}, tracer })
      expect(executed(await session.call(callTo(to), NO_CHECKS)).status).toBe('success')
      expect(tracer.logs).toEqual([])
    }
  })
})

it('a session with a tracer has the same result as one without, and untraced messages are not reported', async () => {
  const plain = engine.open(ENV, stateOf({ code: CODE }))
  let reported = 0
  let isTraced = true
  const tracer: Tracer = { onStep: () => reported++ }
  const traced = engine.open(ENV, stateOf({ code: CODE }), { tracer: () => (isTraced ? tracer : undefined) })
  for (let message = 0; message < 2; message++) {
    expect(await traced.call(callTo(CALLER), NO_CHECKS)).toEqual(await plain.call(callTo(CALLER), NO_CHECKS))
    expect(traced.takeDiff()).toEqual(plain.takeDiff())
  }
  const before = reported
  isTraced = false
  await traced.call(callTo(CALLER), NO_CHECKS)
  expect(reported).toBe(before)
})
