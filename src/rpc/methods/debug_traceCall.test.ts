import { afterEach, beforeEach, expect, test } from 'vitest'
import { type RpcNode, startRpcNode } from '../../../test/support/rpc-node.ts'
import { CALLER, COUNTER, deployContracts, send } from '../../../test/support/traced-contracts.ts'

const TARGET = `0x${'ca'.repeat(20)}`
const CALL_TRACER = { tracer: 'callTracer' }

let node: RpcNode
beforeEach(async () => {
  node = await startRpcNode()
  await deployContracts(node)
})
afterEach(async () => {
  expect(node.logged).toEqual([])
  await node.stop()
})

function word(value: number): string {
  return `0x${value.toString(16).padStart(64, '0')}`
}

test('traces a call on latest, pending and an old block, without a lasting effect', async () => {
  await send(node, 2n, COUNTER)
  await node.nextBlock()
  await send(node, 3n, COUNTER)
  await node.nextFlashblock()
  for (const [block, sum] of [
    ['0x1', 1],
    ['latest', 2],
    ['pending', 3],
  ] as const) {
    const frame = await node.result('debug_traceCall', { to: COUNTER }, block, CALL_TRACER)
    expect(frame).toMatchObject({ to: COUNTER, output: word(sum), type: 'CALL' })
    expect(await node.result('debug_traceCall', { to: COUNTER }, block, CALL_TRACER)).toEqual(frame)
    const trace = await node.result('debug_traceCall', { to: COUNTER }, block)
    expect(trace).toMatchObject({ failed: false, returnValue: word(sum) })
  }
})

test('applies overrides of state and block', async () => {
  // Returns NUMBER.
  const overrides = {
    stateOverrides: { [TARGET]: { code: '0x435f5260205ff3' } },
    blockOverrides: { number: '0x1234' },
  }
  const trace = await node.result('debug_traceCall', { to: TARGET }, 'latest', overrides)
  expect(trace.returnValue).toBe(word(0x1234))
  const frame = await node.result('debug_traceCall', { to: TARGET }, 'latest', { ...overrides, ...CALL_TRACER })
  expect(frame.output).toBe(word(0x1234))
})

test('txIndex selects the state before a transaction of the block', async () => {
  await send(node, 2n, COUNTER)
  await send(node, 3n, CALLER)
  await node.nextBlock()
  for (const index of [0, 1]) {
    const config = { ...CALL_TRACER, txIndex: `0x${index}` }
    expect(await node.result('debug_traceCall', { to: COUNTER }, '0x2', config)).toMatchObject({
      output: word(index + 1),
    })
  }
  expect((await node.request('debug_traceCall', { to: COUNTER }, '0x2', { txIndex: '0x2' })).error).toEqual({
    code: -32000,
    message: 'transaction index 2 out of range: the block has 2',
  })
})

test('a failing call has a trace, an invalid one an error', async () => {
  const code = { stateOverrides: { [TARGET]: { code: '0x60006000fd' } } }
  expect(await node.result('debug_traceCall', { to: TARGET }, 'latest', code)).toMatchObject({
    failed: true,
    returnValue: '0x',
  })
  const frame = await node.result('debug_traceCall', { to: TARGET }, 'latest', { ...code, ...CALL_TRACER })
  expect(frame.error).toBe('execution reverted')
  const poor = { from: TARGET, to: COUNTER, value: '0x1' }
  expect((await node.request('debug_traceCall', poor, 'latest')).error).toMatchObject({
    code: -32000,
    message: expect.stringMatching(/^tracing failed: .*insufficient funds/),
  })
  expect((await node.request('debug_traceCall', { to: COUNTER }, '0xff')).error?.message).toBe('header not found')
})

test('stops an endless loop at the size limit and at the time limit', async () => {
  const endless = { stateOverrides: { [TARGET]: { code: '0x5b5f56' } } }
  const small = await startRpcNode({ maxTraceBytes: 100_000 })
  expect((await small.request('debug_traceCall', { to: TARGET }, 'latest', endless)).error?.code).toBe(-32003)
  const late = await small.request('debug_traceCall', { to: TARGET }, 'latest', {
    ...endless,
    tracer: 'noopTracer',
    timeout: '-1s',
  })
  expect(late.error).toMatchObject({ code: -32602 })
  await small.stop()
  const impatient = await startRpcNode({ maxTraceTimeoutMs: -1 })
  const config = { ...endless, tracer: 'noopTracer' }
  expect((await impatient.request('debug_traceCall', { to: TARGET }, 'latest', config)).error?.message).toBe(
    'execution timeout',
  )
  expect((await impatient.request('eth_call', { to: TARGET }, 'latest')).result).toBe('0x')
  await impatient.stop()
})
