import { afterEach, beforeEach, expect, test } from 'vitest'
import { type RpcNode, startRpcNode } from '../../../test/support/rpc-node.ts'
import { CALLER, COUNTER, deployContracts, send } from '../../../test/support/traced-contracts.ts'

const TARGET = `0x${'ca'.repeat(20)}`
const EMPTY_HASH = '0xc5d2460186f7233c927e7db2dcc703c0e500b653ca82273b7bfad8045d85a470'

interface Frame {
  readonly subtraces: number
  readonly traceAddress: readonly number[]
}

interface Log {
  readonly index: string
  readonly position: string
}

let node: RpcNode
beforeEach(async () => {
  node = await startRpcNode()
  await deployContracts(node)
})
afterEach(async () => {
  expect(node.logged).toEqual([])
  await node.stop()
})

function traceCode(code: string, tracer: string, tracerConfig: object = {}): Promise<unknown> {
  const stateOverrides = { [TARGET]: { code } }
  return node.result('debug_traceCall', { to: TARGET }, 'latest', { tracer, tracerConfig, stateOverrides })
}

test('flatCallTracer lists the frames of a transaction with its position', async () => {
  await send(node, 2n, COUNTER)
  const hash = await send(node, 3n, CALLER)
  await node.nextBlock()
  const block = await node.result('eth_getBlockByNumber', 'latest', false)

  const traced = await node.result('debug_traceTransaction', hash, { tracer: 'flatCallTracer' })
  const frames = traced as unknown as readonly Frame[]

  const where = { blockHash: block.hash, blockNumber: 2, transactionHash: hash, transactionPosition: 1 }
  expect(frames[0]).toMatchObject({
    type: 'call',
    traceAddress: [],
    action: { callType: 'call', to: CALLER },
    ...where,
  })
  expect(frames[0]!.subtraces).toBe(frames.filter(({ traceAddress }) => traceAddress.length === 1).length)
  expect(frames[1]).toMatchObject({ traceAddress: [0], ...where })
})

test('flatCallTracer names no transaction for a call, and words errors as OpenEthereum on request', async () => {
  const [frame] = (await traceCode('0xfe', 'flatCallTracer')) as [object]
  const [converted] = (await traceCode('0xfe', 'flatCallTracer', { convertParityErrors: true })) as [object]

  expect(frame).toMatchObject({ error: 'invalid opcode: INVALID', blockHash: null, transactionHash: null })
  expect(frame).not.toHaveProperty('result')
  expect(converted).toMatchObject({ error: 'Bad instruction' })
})

test('flatCallTracer leaves out calls to precompiles unless they are asked for', async () => {
  const callIdentity = '0x5f5f5f5f60045afa00'

  const plain = await traceCode(callIdentity, 'flatCallTracer')
  const complete = await traceCode(callIdentity, 'flatCallTracer', { includePrecompiles: true })

  expect(plain).toMatchObject([{ subtraces: 0 }])
  expect(complete).toMatchObject([
    { subtraces: 1 },
    { traceAddress: [0], action: { callType: 'staticcall', value: '0x0', to: `0x${'04'.padStart(40, '0')}` } },
  ])
})

test('keccak256PreimageTracer returns what is hashed by its hash, with zeros beyond the end of memory', async () => {
  const zeros = `0x${'00'.repeat(32)}`
  const hashOfZeros = '0x290decd9548b62a8d60345a988386fc84ba6bc95484008f6362f93160ef3e563'

  expect(await traceCode('0x5f5f2060205f2000', 'keccak256PreimageTracer')).toEqual({
    [EMPTY_HASH]: '0x',
    [hashOfZeros]: zeros,
  })
})

test('erc7562Tracer reports slots, opcodes, code sizes and preimages by frame', async () => {
  // SLOAD(1), SSTORE(1), TLOAD(2), GAS followed by POP, EXTCODESIZE of the code itself, KECCAK256 of nothing, a call.
  const code = `0x600154506007600155600260005d60025c505a503b0000`.replace(
    '3b0000',
    `303b505f5f20505f5f5f5f73${COUNTER.slice(2)}5afa00`,
  )

  const trace = await traceCode(code, 'erc7562Tracer')

  const size = (code.length - 2) / 2
  const slot = (index: number) => `0x${index.toString(16).padStart(64, '0')}`
  expect(trace).toMatchObject({
    type: 'CALL',
    to: TARGET,
    accessedSlots: {
      reads: { [slot(1)]: [slot(0)] },
      writes: { [slot(1)]: 1 },
      transientReads: { [slot(2)]: 1 },
      transientWrites: { [slot(0)]: 1 },
    },
    extCodeAccessInfo: [TARGET],
    contractSize: { [TARGET]: { contractSize: size, opcode: 0x3b }, [COUNTER]: { opcode: 0xfa } },
    usedOpcodes: { '0x5a': 1, '0x54': 1, '0x55': 1, '0xfa': 1 },
    keccak: ['0x'],
    outOfGas: false,
    calls: [{ type: 'STATICCALL', to: COUNTER, outOfGas: false }],
  })
})

test('muxTracer runs tracers in one pass, with the result of each by its name', async () => {
  const tracerConfig = { callTracer: { onlyTopCall: true }, '4byteTracer': null, muxTracer: { noopTracer: {} } }

  expect(await traceCode('0x00', 'muxTracer', tracerConfig)).toEqual({
    callTracer: await traceCode('0x00', 'callTracer', { onlyTopCall: true }),
    '4byteTracer': {},
    muxTracer: { noopTracer: {} },
  })
})

test('muxTracer refuses an unknown tracer, and more than 16 tracers however they nest', async () => {
  const nested = (depth: number): object => (depth === 0 ? {} : { muxTracer: nested(depth - 1) })

  await expect(traceCode('0x00', 'muxTracer', { callTrace: {} })).rejects.toThrow('there is no tracer')
  await expect(traceCode('0x00', 'muxTracer', nested(16))).resolves.toBeDefined()
  await expect(traceCode('0x00', 'muxTracer', nested(17))).rejects.toThrow('at most 16 tracers')
})

test('callTracer counts the index of a log in its block, without logs of failed frames', async () => {
  // LOG0 and a call of itself that fails after LOG0 where the call has data; then LOG0.
  const code = `0x36156009575f5fa0fe5b5f5fa05f5f60015f5f305af1505f5fa000`
  const stateOverrides = { [TARGET]: { code } }
  const config = { tracer: 'callTracer', tracerConfig: { withLog: true }, stateOverrides }

  const frame = await node.result('debug_traceCall', { to: TARGET }, 'latest', config)

  expect((frame.logs as unknown as readonly Log[]).map(({ index, position }) => [index, position])).toEqual([
    ['0x0', '0x0'],
    ['0x1', '0x1'],
  ])
})
