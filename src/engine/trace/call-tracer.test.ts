import { describe, expect, it } from 'vitest'
import { address, callTo, SENDER, stateOf } from '../../../test/support/engine-fixture.ts'
import { OTHER, TOP, tracedCall } from '../../../test/support/traced-call.ts'
import { createAddress } from '../../chain/transaction/contract-address.ts'
import { type Address, bytesToHex } from '../../primitives/hex.ts'
import type { Call } from '../types.ts'
import { type CallFrame, CallTracer, type CallTracerOptions } from './call-tracer.ts'
import { TraceBudget } from './trace-budget.ts'

const hex = (account: Address) => account.slice(2)

async function trace(
  code: Readonly<Record<Address, string>>,
  options: CallTracerOptions = {},
  call: Partial<Call> = {},
  to: Address | null = TOP,
) {
  const tracer = new CallTracer(options, { budget: new TraceBudget(1 << 24) })
  const request = callTo(to, call)
  const { result } = await tracedCall(tracer, stateOf({ code, balances: { [TOP]: 1_000n } }), request)
  return { frame: tracer.result(result, request), result }
}

/** A frame without gas, its bytes in hex. */
function shape({ gas: _, gasUsed: __, input, output, calls, logs, ...frame }: CallFrame): unknown {
  return {
    ...frame,
    input: bytesToHex(input),
    output: bytesToHex(output),
    ...(calls.length > 0 && { calls: calls.map(shape) }),
    ...(logs.length > 0 && { logs: logs.map(({ log, position }) => [log.address, bytesToHex(log.data), position]) }),
  }
}

const STORE_11 = '60bb60005360016000f3'

describe('callTracer', () => {
  it('reports calls of each kind, including a precompile, with their inputs', async () => {
    const outside = (kind: string, value: string) => `6001604060206000${value}73${hex(OTHER)}61c350${kind}50`
    const code = `0x61abcd600052${outside('f1', '6007')}${outside('f2', '6005')}${outside('f4', '')}${outside('fa', '')}600060006002601e6000600461c350f15000`
    const { frame } = await trace({ [TOP]: code, [OTHER]: `0x${STORE_11}` }, {}, { value: 9n })
    const input = `0x${'abcd'.padStart(64, '0')}`
    const output = '0xbb'
    expect(shape(frame)).toEqual({
      kind: 'CALL',
      from: SENDER,
      to: TOP,
      value: 9n,
      input: '0x',
      output: '0x',
      calls: [
        { kind: 'CALL', from: TOP, to: OTHER, value: 7n, input, output },
        { kind: 'CALLCODE', from: TOP, to: OTHER, value: 5n, input, output },
        { kind: 'DELEGATECALL', from: TOP, to: OTHER, value: 9n, input, output },
        { kind: 'STATICCALL', from: TOP, to: OTHER, input, output },
        { kind: 'CALL', from: TOP, to: address(4), value: 0n, input: '0xabcd', output: '0xabcd' },
      ],
    })
    // PUSH1, PUSH1, MSTORE8 with a word of memory, PUSH1, PUSH1: 18; identity of two bytes: 15 + 3.
    expect(frame.calls.map(({ gasUsed }) => gasUsed)).toEqual([18, 18, 18, 18, 18])
    // A call with value includes the stipend.
    expect(frame.calls.map(({ gas }) => gas)).toEqual([52_300, 52_300, 50_000, 50_000, 50_000])
  })

  it('gives the first frame the gas of the transaction', async () => {
    const { frame, result } = await trace({ [TOP]: '0x00' }, {}, { gasLimit: 123_456n })
    expect(frame).toMatchObject({ gas: 123_456, gasUsed: 21_000 })
    expect(result.gasUsed).toBe(21_000)
  })

  it('reports reverts and faults with the gas used', async () => {
    const call = `600060006000600060007300000000000000000000000000000000000000b16103e8f150`
    const reverting = await trace({ [TOP]: `0x${call}00`, [OTHER]: '0x60aa60005360016000fd' })
    expect(shape(reverting.frame.calls[0]!)).toMatchObject({ error: 'execution reverted', output: '0xaa' })
    expect(reverting.frame.calls[0]!.gasUsed).toBe(18)
    const faulty = await trace({ [TOP]: `0x${call}00`, [OTHER]: '0xfe' })
    expect(faulty.frame.calls[0]).toMatchObject({ error: 'invalid opcode: INVALID', gas: 1_000, gasUsed: 1_000 })
    expect(faulty.frame.error).toBeUndefined()
    const failed = await trace({ [TOP]: '0x60aa60005360016000fd' })
    expect(shape(failed.frame)).toMatchObject({ error: 'execution reverted', output: '0xaa' })
  })

  it('reports refused calls: insufficient balance, too deep', async () => {
    const rich = await trace({
      [TOP]: `0x60006000600060006107d073${hex(OTHER)}61c350f1506000600061ffff600060006103e9f000`,
    })
    expect(rich.frame.calls[0]).toMatchObject({
      error: 'insufficient balance for transfer',
      value: 2_000n,
      gas: 52_300,
      gasUsed: 0,
    })
    // Calls itself until the depth limit.
    const deep = await trace({ [TOP]: `0x60006000600060006000305af100` }, {}, { gasLimit: 1n << 40n })
    let frame = deep.frame
    let depth = 0
    while (frame.calls.length > 0) {
      frame = frame.calls[0]!
      depth++
    }
    expect(depth).toBe(1025)
    expect(frame).toMatchObject({ error: 'max call depth exceeded', gasUsed: 0 })
  })

  it('reports creations with the deployed code, and failed ones', async () => {
    const initcode = `69${'60aa60005360016000f3'}600052`
    const code = `0x${initcode}600a60166003f05060056000600a60166000f55060016000536001600060006000f000`
    const { frame } = await trace({ [TOP]: code })
    const [first, second] = frame.calls
    expect(shape(first!)).toEqual({
      kind: 'CREATE',
      from: TOP,
      to: createAddress(TOP, 1n),
      value: 3n,
      input: '0x60aa60005360016000f3',
      output: '0xaa',
    })
    expect(second).toMatchObject({ kind: 'CREATE2', from: TOP, value: 0n })
    const top = await trace({}, {}, { data: Buffer.from('60ef60005360016000f3', 'hex') }, null)
    expect(shape(top.frame)).toEqual({
      kind: 'CREATE',
      from: SENDER,
      value: 0n,
      input: '0x60ef60005360016000f3',
      output: '0x',
      error: 'invalid code: must not begin with 0xef',
    })
  })

  it('reports a creation at an address that is in use', async () => {
    const taken = createAddress(TOP, 1n)
    const { frame } = await trace({ [TOP]: '0x600060006000f000', [taken]: '0x00' })
    expect(frame.calls[0]).toMatchObject({ kind: 'CREATE', error: 'contract address collision' })
    expect(frame.calls[0]!.gasUsed).toBe(frame.calls[0]!.gas)
    expect(frame.calls[0]!.to).toBeUndefined()
  })

  it('reports a SELFDESTRUCT as a frame', async () => {
    const { frame } = await trace({ [TOP]: `0x73${hex(OTHER)}ff` }, {}, { value: 5n })
    expect(frame.calls.map(shape)).toEqual([
      { kind: 'SELFDESTRUCT', from: TOP, to: OTHER, value: 1_005n, input: '0x', output: '0x' },
    ])
    expect(frame.calls[0]).toMatchObject({ gas: 0, gasUsed: 0 })
  })

  it('withLog: positions logs and omits reverted ones', async () => {
    const log = (byte: string) => `60${byte}60005360016000a0`
    const call = `600060006000600060007300000000000000000000000000000000000000b161c350f150`
    const code = { [TOP]: `0x${log('01')}${call}${log('02')}00`, [OTHER]: `0x${log('03')}00` }
    const { frame } = await trace(code, { withLog: true })
    expect(shape(frame)).toMatchObject({
      logs: [
        [TOP, '0x01', 0],
        [TOP, '0x02', 1],
      ],
      calls: [{ logs: [[OTHER, '0x03', 0]] }],
    })
    expect((await trace(code)).frame.logs).toEqual([])
    const undone = await trace({ ...code, [TOP]: `0x${log('01')}${call}60006000fd` }, { withLog: true })
    expect([undone.frame.logs, undone.frame.calls[0]!.logs]).toEqual([[], []])
    const top = await trace(code, { withLog: true, onlyTopCall: true })
    expect(top.frame.calls).toEqual([])
    expect(top.frame.logs).toHaveLength(2)
  })
})
