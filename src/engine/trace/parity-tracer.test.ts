import { describe, expect, it } from 'vitest'
import { address, callTo, ENV, SENDER, stateOf } from '../../../test/support/engine-fixture.ts'
import { OTHER, TOP, tracedCall, tracedEngine } from '../../../test/support/traced-call.ts'
import { createAddress } from '../../chain/transaction/contract-address.ts'
import { type Address, bytesToHex } from '../../primitives/hex.ts'
import type { Call } from '../types.ts'
import { type ParityFrame, ParityTracer, type ParityTracerOptions } from './parity-tracer.ts'
import { TraceBudget, TraceTooLargeError } from './trace-budget.ts'

const ALL: ParityTracerOptions = { trace: true, stateDiff: true, vmTrace: true }

async function trace(
  code: Readonly<Record<Address, string>>,
  {
    options = ALL,
    call = {},
    budget = 1 << 24,
  }: { options?: ParityTracerOptions; call?: Partial<Call>; budget?: number } = {},
) {
  const precompiles = tracedEngine.precompiles(ENV)
  const tracer = new ParityTracer(options, { budget: new TraceBudget(budget), precompiles })
  const before = stateOf({ code, balances: { [TOP]: 1_000n } })
  const { result, diff } = await tracedCall(tracer, before, callTo(TOP, call))
  return tracer.result(result, { before, diff })
}

/** A call of `OTHER` with this opcode, 50,000 gas and no input. */
function callOther(opcode: string, hasValue: boolean, value = '00'): string {
  return `6000600060006000${hasValue ? `60${value}` : ''}73${OTHER.slice(2)}61c350${opcode}50`
}

function shape({ start, end, traceAddress, subtraces }: ParityFrame) {
  return [start.kind, start.from, start.to, traceAddress.join('.'), subtraces, end.error]
}

describe('frames', () => {
  it('lists frames in pre-order with their paths and the number of direct calls', async () => {
    const inner = `0x${'6000600060006000600073'}${address(0xc1).slice(2)}61c350f15000`
    const code = `0x${callOther('f1', true)}${callOther('fa', false)}00`

    const { frames } = await trace({ [TOP]: code, [OTHER]: inner, [address(0xc1)]: '0x60006000fd' })

    const failed = ['CALL', OTHER, address(0xc1)]
    expect(frames!.map(shape)).toEqual([
      ['CALL', SENDER, TOP, '', 2, undefined],
      ['CALL', TOP, OTHER, '0', 1, undefined],
      [...failed, '0.0', 0, 'execution reverted'],
      ['STATICCALL', TOP, OTHER, '1', 1, undefined],
      [...failed, '1.0', 0, 'execution reverted'],
    ])
  })

  it('counts a self-destruction as a frame below the contract, and a creation with its address', async () => {
    // Creates a contract whose initcode destroys itself in favour of OTHER.
    const initcode = `73${OTHER.slice(2)}ff`
    const code = `0x75${initcode}6000526016600a6003f000`

    const { frames } = await trace({ [TOP]: code })

    const created = createAddress(TOP, 1n)
    expect(frames!.map(shape)).toEqual([
      ['CALL', SENDER, TOP, '', 1, undefined],
      ['CREATE', TOP, created, '0', 1, undefined],
      ['SELFDESTRUCT', created, OTHER, '0.0', 0, undefined],
    ])
    expect(frames![2]!.start.value).toBe(3n)
  })

  it('leaves out calls of precompiles that transfer nothing, and does not count them', async () => {
    const identity = (value: string) => `600060006000600060${value}600461c350f150`
    const { frames } = await trace({ [TOP]: `0x${identity('00')}${identity('07')}${callOther('f1', true)}00` })

    expect(frames!.map(shape)).toEqual([
      ['CALL', SENDER, TOP, '', 2, undefined],
      ['CALL', TOP, address(4), '0', 0, undefined],
      ['CALL', TOP, OTHER, '1', 0, undefined],
    ])
  })

  it('gives the first frame the gas that is left after the intrinsic cost', async () => {
    const { frames } = await trace({ [TOP]: '0x600050' }, { call: { gasLimit: 30_000n } })

    expect(frames![0]).toMatchObject({ start: { gas: 9_000 }, end: { gasUsed: 5 } })
  })
})

describe('state changes', () => {
  it('lists changed accounts and slots with both values, and no unchanged ones', async () => {
    // SSTORE(0, 5), SSTORE(1, 0) and a transfer of 7.
    const { stateDiff } = await trace({ [TOP]: `0x60056000556000600155${callOther('f1', true, '07')}00` })

    expect([...stateDiff!.keys()].sort()).toEqual([OTHER, SENDER, TOP].sort())
    expect(stateDiff!.get(OTHER)).toMatchObject({ before: undefined, after: { balance: 7n, nonce: 0n } })
    const { before, after, storage } = stateDiff!.get(TOP)!
    expect([before!.balance, after!.balance]).toEqual([1_000n, 993n])
    expect([...storage.values()]).toEqual([{ before: 0n, after: 5n }])
  })

  it('lists only the sender of a reverted message', async () => {
    const { stateDiff } = await trace({ [TOP]: '0x600560005560006000fd' })

    expect([...stateDiff!.keys()]).toEqual([SENDER])
  })
})

describe('instructions', () => {
  it('records what each instruction wrote to stack, memory and storage, and the gas left after it', async () => {
    // PUSH1 1, PUSH1 2, DUP2, SWAP1, ADD, PUSH1 0, MSTORE, PUSH1 0, SSTORE.
    const { vmTrace } = await trace({ [TOP]: '0x6001600281900160005260005500' }, { call: { gasLimit: 121_000n } })

    const effects = vmTrace!.operations.map(({ effect }) => effect!)
    expect(effects.map(({ push }) => push.map(Number))).toEqual([
      [1],
      [2],
      [1, 2, 1],
      [1, 2],
      [3],
      [0],
      [],
      [0],
      [],
      [],
    ])
    expect(effects[6]!.memory).toEqual({ offset: 0, data: expect.any(Uint8Array) })
    expect(bytesToHex(effects[6]!.memory!.data)).toBe(`0x${'3'.padStart(64, '0')}`)
    expect(effects[8]!.store).toEqual({ key: 0n, value: 1n })
    expect(effects[0]!.gasLeft).toBe(100_000 - 3)
    expect(vmTrace!.operations.map(({ cost }) => cost).slice(0, 7)).toEqual([3, 3, 3, 3, 3, 3, 6])
    expect(bytesToHex(vmTrace!.code)).toBe('0x6001600281900160005260005500')
  })

  it('nests the code and instructions of calls and creations, and has none for accounts without code', async () => {
    const code = `0x${callOther('f1', true)}60006000526001601f6000f0506000600060006000600073${address(0xee).slice(2)}5af15000`

    const { vmTrace } = await trace({ [TOP]: code, [OTHER]: '0x5f00' })

    const subs = vmTrace!.operations.flatMap(({ sub }) => (sub === undefined ? [] : [sub]))
    expect(subs.map((sub) => [bytesToHex(sub.code), sub.operations.length])).toEqual([
      ['0x5f00', 2],
      ['0x00', 1],
    ])
    const call = vmTrace!.operations.find(({ opcode }) => opcode === 0xf1)!
    expect(call.effect!.push).toEqual([1n])
  })

  it('has no effect of the instruction that faults', async () => {
    const { vmTrace } = await trace({ [TOP]: '0x6001fe' })

    expect(vmTrace!.operations.map(({ effect }) => effect !== undefined)).toEqual([true, false])
  })
})

it('contains only the requested parts', async () => {
  const { frames, stateDiff, vmTrace } = await trace({ [TOP]: '0x00' }, { options: { trace: true } })

  expect(frames).toHaveLength(1)
  expect([stateDiff, vmTrace]).toEqual([undefined, undefined])
})

it.each([{ trace: true }, { vmTrace: true }])('stops a trace of %j that becomes too large', async (options) => {
  // Calls itself with all gas.
  const code = '0x60006000600060006000305af100'
  await expect(trace({ [TOP]: code }, { options, budget: 3_000 })).rejects.toThrow(TraceTooLargeError)
})
