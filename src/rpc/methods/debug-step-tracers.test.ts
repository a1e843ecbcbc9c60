import { afterEach, beforeEach, expect, test } from 'vitest'
import { type RpcNode, startRpcNode } from '../../../test/support/rpc-node.ts'
import { CALLER, COUNTER, deployContracts, send } from '../../../test/support/traced-contracts.ts'

const TARGET = `0x${'ca'.repeat(20)}`

let node: RpcNode
beforeEach(async () => {
  node = await startRpcNode()
  await deployContracts(node)
})
afterEach(async () => {
  expect(node.logged).toEqual([])
  await node.stop()
})

interface Columns {
  readonly steps: number
  readonly gas: number
  readonly failed: boolean
  readonly returnValue: string
  readonly pc: string
  readonly op: string
  readonly depth: string
  readonly gasLeft: string
  readonly frames: readonly object[]
  readonly storage: readonly (readonly [number, string, string, boolean])[]
  readonly preimages: readonly string[]
}

interface StructLogs {
  readonly gas: number
  readonly structLogs: readonly {
    readonly pc: number
    readonly op: string
    readonly depth: number
    readonly gas: number
    readonly stack: readonly string[]
    readonly memory?: readonly string[]
    readonly returnData?: string
    readonly storage?: Readonly<Record<string, string>>
  }[]
}

interface Windows {
  readonly from: number
  readonly steps: readonly {
    readonly kept: number
    readonly pushed: readonly string[]
    readonly memory?: { readonly size: number; readonly at: number; readonly data: string }
    readonly returnData?: string
  }[]
}

const bytesOf = (column: string) => Uint8Array.from(Buffer.from(column, 'base64'))
const traced = async <T>(hash: string, config: object) =>
  (await node.result('debug_traceTransaction', hash, config)) as unknown as T

async function tracedCode<T>(code: string, tracer: string, tracerConfig: object = {}): Promise<T> {
  const stateOverrides = { [TARGET]: { code } }
  const config = { tracer, tracerConfig, stateOverrides }
  return (await node.result('debug_traceCall', { to: TARGET }, 'latest', config)) as unknown as T
}

/** The machine before each step of a window. */
function machinesOf({ steps }: Windows): readonly object[] {
  let stack: readonly string[] = []
  let memory = Buffer.alloc(0)
  let returnData = '0x'
  return steps.map((step) => {
    stack = [...stack.slice(0, step.kept), ...step.pushed]
    if (step.memory !== undefined) {
      const { size, at, data } = step.memory
      memory = Buffer.concat([memory, Buffer.alloc(size)]).subarray(0, size)
      memory.set(Buffer.from(data.slice(2), 'hex'), at)
    }
    returnData = step.returnData ?? returnData
    return { stack, memory: `0x${memory.toString('hex')}`, returnData }
  })
}

function machineOfLog({ stack, memory = [], returnData = '0x' }: StructLogs['structLogs'][number]): object {
  return { stack, memory: `0x${memory.map((word) => word.slice(2)).join('')}`, returnData }
}

test('stepColumnsTracer has the steps of the default tracer in columns', async () => {
  const hash = await send(node, 2n, CALLER)
  await node.nextBlock()
  const { structLogs, gas } = await traced<StructLogs>(hash, {})

  const columns = await traced<Columns>(hash, { tracer: 'stepColumnsTracer' })

  expect(structLogs.length).toBeGreaterThan(20)
  expect(columns).toMatchObject({ steps: structLogs.length, gas, failed: false })
  expect([...new Uint32Array(bytesOf(columns.pc).buffer)]).toEqual(structLogs.map(({ pc }) => pc))
  expect([...new Uint16Array(bytesOf(columns.depth).buffer)]).toEqual(structLogs.map(({ depth }) => depth))
  expect([...new Uint32Array(bytesOf(columns.gasLeft).buffer)]).toEqual(structLogs.map(({ gas }) => gas))
  expect(bytesOf(columns.op)).toHaveLength(structLogs.length)
})

test('its frames span their steps, with the account whose storage they use', async () => {
  const hash = await send(node, 2n, CALLER)
  await node.nextBlock()
  const { structLogs } = await traced<StructLogs>(hash, {})

  const { frames } = await traced<Columns>(hash, { tracer: 'stepColumnsTracer' })

  const firstInner = structLogs.findIndex(({ depth }) => depth === 2)
  expect(frames[0]).toMatchObject({ type: 'CALL', to: CALLER, firstStep: 0, endStep: structLogs.length, depth: 0 })
  expect(frames).toContainEqual(expect.objectContaining({ firstStep: firstInner, depth: 1, account: COUNTER }))
})

test('its storage has the values after each access, and preimages those of keys', async () => {
  // mstore(0, 7) mstore(32, 1) sstore(keccak256(0, 64), 9) sload(keccak256(0, 64))
  const code = `0x6007600052600160205260096040600020556040600020545000`

  const { storage, preimages } = await tracedCode<Columns>(code, 'stepColumnsTracer')

  const slot = expect.stringMatching(/^0x[0-9a-f]{60,64}$/)
  expect(storage).toEqual([
    [expect.any(Number), slot, '0x9', true],
    [expect.any(Number), slot, '0x9', false],
  ])
  expect(preimages).toEqual([`0x${'7'.padStart(64, '0')}${'1'.padStart(64, '0')}`])
})

test('a failed call has its error, and all of its steps', async () => {
  const { failed, frames, steps } = await tracedCode<Columns>('0x60016002fe', 'stepColumnsTracer')

  expect({ failed, steps }).toEqual({ failed: true, steps: 3 })
  expect(frames).toMatchObject([{ error: 'invalid opcode: INVALID', endStep: 3 }])
})

test('stepWindowsTracer has stack, memory and return data of the default tracer', async () => {
  const hash = await send(node, 2n, CALLER)
  await node.nextBlock()
  const { structLogs } = await traced<StructLogs>(hash, { enableMemory: true, enableReturnData: true })
  const ranges = [
    { from: 0, count: 5 },
    { from: 3, count: structLogs.length },
  ]

  const windows = await traced<readonly Windows[]>(hash, { tracer: 'stepWindowsTracer', tracerConfig: { ranges } })

  expect(windows.map(({ from, steps }) => [from, steps.length])).toEqual([
    [0, 5],
    [3, structLogs.length - 3],
  ])
  for (const window of windows) {
    const logs = structLogs.slice(window.from, window.from + window.steps.length)
    expect(machinesOf(window)).toEqual(logs.map(machineOfLog))
  }
})

test('a step repeats nothing that did not change', async () => {
  // mstore(0, 1) and three words on the stack.
  const ranges = [{ from: 2, count: 4 }]
  const [window] = await tracedCode<readonly Windows[]>('0x600160005260026003600400', 'stepWindowsTracer', { ranges })

  expect(window!.steps).toEqual([
    { kept: 0, pushed: ['0x1', '0x0'] },
    { kept: 0, pushed: [], memory: { size: 32, at: 31, data: '0x01' } },
    { kept: 0, pushed: ['0x2'] },
    { kept: 1, pushed: ['0x3'] },
  ])
})

test('windows without ranges are none, and more than 16 ranges are refused', async () => {
  expect(await tracedCode('0x600100', 'stepWindowsTracer')).toEqual([])
  const ranges = Array.from({ length: 17 }, () => ({ from: 0, count: 1 }))
  const config = { tracer: 'stepWindowsTracer', tracerConfig: { ranges } }
  const { error } = await node.request('debug_traceCall', { to: TARGET }, 'latest', config)
  expect(error).toMatchObject({ code: -32602 })
})

test('a range of more than 1,024 steps is refused', async () => {
  const config = { tracer: 'stepWindowsTracer', tracerConfig: { ranges: [{ from: 0, count: 1_025 }] } }

  const { error } = await node.request('debug_traceCall', { to: TARGET }, 'latest', config)

  expect(error).toMatchObject({ code: -32602, message: expect.stringContaining('at most 1024 steps') })
})

test('a step of a window costs as much as its instruction, however large the memory is', async () => {
  // mstore(3 MB, 1), then mstore(0, 0) in a loop of 6 steps until the gas is used.
  const stateOverrides = { [TARGET]: { code: '0x6001622dc6c0525b6000600052600756' } }
  const ranges = Array.from({ length: 16 }, (_, index) => ({ from: 100 + 1_024 * index, count: 1_024 }))
  const config = { tracer: 'stepWindowsTracer', tracerConfig: { ranges }, stateOverrides }
  const started = performance.now()

  const windows = (await node.result(
    'debug_traceCall',
    ...[{ to: TARGET, gas: '0x112a880' }, 'latest', config],
  )) as unknown as readonly Windows[]

  // Comparing 3 MB at each step would take more than 20 s.
  expect(performance.now() - started).toBeLessThan(4_000)
  expect(windows.map(({ steps }) => steps.length)).toEqual(ranges.map(() => 1_024))
})

test('memory that is read whole uses the limit of traces, also if it is zero', async () => {
  // mstore8(1 MB, 0), then calls of itself with call data, which return at once.
  const stateOverrides = { [TARGET]: { code: '0x36601d576000620f4240535b60006000600160006000305af150600b565b00' } }
  const config = { tracer: 'stepWindowsTracer', tracerConfig: { ranges: [{ from: 0, count: 1_024 }] }, stateOverrides }
  const small = await startRpcNode({ maxTraceBytes: 10_000_000 })

  const { error } = await small.request('debug_traceCall', { to: TARGET }, 'latest', config)

  expect(error?.message).toContain('larger than 10000000 bytes')
  await small.stop()
})

test('memory that instructions and calls write is read within a frame and after it', async () => {
  const code = `0x${[
    '60206000600037', // calldatacopy
    '60ff601f53', // mstore8
    '6020600060405e', // mcopy
    '6020608060206000' + '60045afa50', // the identity precompile with output
    '60206000606039', // codecopy
    '6020600060a0303c', // extcodecopy
    '3615604857', // jump to the end without call data
    '60206020600060006000' + '305af150', // a call of itself without call data
    '3d600060c03e', // returndatacopy
    '5b60206000f3', // return
  ].join('')}`
  const stateOverrides = { [TARGET]: { code } }
  const params = [{ to: TARGET, data: '0x0102' }, 'latest'] as const
  const reference = (await node.result('debug_traceCall', ...params, {
    stateOverrides,
    enableMemory: true,
    enableReturnData: true,
  })) as unknown as StructLogs
  const tracerConfig = { ranges: [{ from: 0, count: 200 }] }

  const [window] = (await node.result('debug_traceCall', ...params, {
    ...{ stateOverrides, tracer: 'stepWindowsTracer', tracerConfig },
  })) as unknown as readonly Windows[]

  expect(machinesOf(window!)).toEqual(reference.structLogs.map(machineOfLog))
})

test('a window larger than the limit of traces is refused', async () => {
  const small = await startRpcNode({ maxTraceBytes: 2_000 })
  const config = {
    tracer: 'stepWindowsTracer',
    tracerConfig: { ranges: [{ from: 0, count: 1_000 }] },
    // mstore(1024, 1), then a loop.
    stateOverrides: { [TARGET]: { code: '0x60016104005260005b600101600856' } },
  }
  const { error } = await small.request('debug_traceCall', { to: TARGET }, 'latest', config)
  expect(error?.message).toContain('larger than 2000 bytes')
  await small.stop()
})
