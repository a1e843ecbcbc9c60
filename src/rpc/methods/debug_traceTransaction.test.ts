import { afterEach, beforeEach, expect, test } from 'vitest'
import { type RpcNode, startRpcNode } from '../../../test/support/rpc-node.ts'
import { CALLER, COUNTER, deployContracts, send } from '../../../test/support/traced-contracts.ts'
import { DEVELOPMENT_ACCOUNTS } from '../../chain/accounts/development-accounts.ts'

const SENDER = DEVELOPMENT_ACCOUNTS[0]!.address

let node: RpcNode
beforeEach(async () => {
  node = await startRpcNode()
  await deployContracts(node)
})
afterEach(async () => {
  expect(node.logged).toEqual([])
  await node.stop()
})

interface StructLog {
  readonly op: string
  readonly depth: number
  readonly storage?: Readonly<Record<string, string>>
}

function slot(number: number): string {
  return `0x${number.toString(16).padStart(64, '0')}`
}

test('reports each instruction by default, of sealed and pre-confirmed transactions, on their original state', async () => {
  const first = await send(node, 2n, CALLER)
  const second = await send(node, 3n, CALLER)
  await node.nextFlashblock()
  for (const isSealed of [false, true]) {
    if (isSealed) await node.nextBlock()
    for (const [index, hash] of [first, second].entries()) {
      const trace = await node.result('debug_traceTransaction', hash)
      const receipt = await node.result('eth_getTransactionReceipt', hash)
      expect(trace).toMatchObject({ gas: Number(receipt.gasUsed), failed: false, returnValue: '0x' })
      const logs = trace.structLogs as unknown as StructLog[]
      expect(logs[0]).toMatchObject({ pc: 0, op: 'PUSH1', gasCost: 3, depth: 1, stack: [] })
      expect(logs.filter(({ depth }) => depth === 2).map(({ op }) => op)).toEqual(
        'PUSH0 SLOAD PUSH1 ADD DUP1 PUSH0 SSTORE PUSH0 MSTORE PUSH1 PUSH0 RETURN'.split(' '),
      )
      expect(logs.find(({ op }) => op === 'SLOAD')!.storage).toEqual({ [slot(0)]: slot(index) })
      expect(logs.find(({ op }) => op === 'SSTORE')!.storage).toEqual({ [slot(0)]: slot(index + 1) })
    }
  }
})

test('callTracer reports the tree of calls', async () => {
  const hash = await send(node, 2n, CALLER)
  await node.nextBlock()
  const receipt = await node.result('eth_getTransactionReceipt', hash)
  const frame = await node.result('debug_traceTransaction', hash, { tracer: 'callTracer' })
  expect(frame).toEqual({
    from: SENDER,
    to: CALLER,
    gas: '0x493e0',
    gasUsed: receipt.gasUsed,
    input: '0x',
    value: '0x0',
    type: 'CALL',
    calls: [
      {
        from: CALLER,
        to: COUNTER,
        gas: expect.stringMatching(/^0x/),
        // 2,100 to read the slot, 20,000 to write it, 26 for the rest.
        gasUsed: '0x566e',
        input: '0x',
        output: slot(1),
        value: '0x0',
        type: 'CALL',
      },
    ],
  })
  const top = await node.result('debug_traceTransaction', hash, {
    tracer: 'callTracer',
    tracerConfig: { onlyTopCall: true },
  })
  expect(top.calls).toBeUndefined()
})

test('prestateTracer reports the state before, and in diffMode the changes', async () => {
  const hash = await send(node, 2n, CALLER)
  await node.nextBlock()
  const pre = await node.result('debug_traceTransaction', hash, { tracer: 'prestateTracer' })
  const code = await node.result('eth_getCode', COUNTER)
  expect(pre[COUNTER]).toMatchObject({ balance: '0x0', nonce: 1, code, storage: { [slot(0)]: slot(0) } })
  const balance = await node.result('eth_getBalance', SENDER, '0x1')
  expect(pre[SENDER]).toEqual({ balance, nonce: 2 })
  const change = await node.result('debug_traceTransaction', hash, {
    tracer: 'prestateTracer',
    tracerConfig: { diffMode: true, disableCode: true },
  })
  expect(change).toMatchObject({
    pre: { [COUNTER]: { balance: '0x0', nonce: 1 }, [SENDER]: { balance, nonce: 2 } },
    post: { [COUNTER]: { storage: { [slot(0)]: slot(1) } }, [SENDER]: { nonce: 3 } },
  })
  expect((change.pre as Record<string, object>)[CALLER]).toBeUndefined()
  expect((change.post as Record<string, { balance: string }>)[SENDER]!.balance).toBe(
    await node.result('eth_getBalance', SENDER, '0x2'),
  )
})

test('4byteTracer counts selectors with calldata sizes, and noopTracer reports nothing', async () => {
  const hash = await send(node, 2n, COUNTER, new Uint8Array([0xaa, 0xbb, 0xcc, 0xdd, 0, 0]))
  await node.nextBlock()
  expect(await node.result('debug_traceTransaction', hash, { tracer: '4byteTracer' })).toEqual({ '0xaabbccdd-2': 1 })
  expect(await node.result('debug_traceTransaction', hash, { tracer: 'noopTracer' })).toEqual({})
})

test.each([
  [{ tracer: 'callTrace' }, /^invalid argument 1: tracer: there is no tracer "callTrace", want one of callTracer/],
  [{ tracer: 'callTracer', tracerConfig: { withLog: 1 } }, /tracerConfig\.withLog: expected true or false/],
  [{ limit: -1 }, /limit: expected a whole number/],
  [{ timeout: '5 minutes' }, /timeout: invalid duration "5 minutes"/],
  [{ enableMemory: 'yes' }, /enableMemory: expected true or false/],
  ['callTracer', /expected an object, got a string/],
])('rejects %j with a message that names the cause', async (config, message) => {
  const { error } = await node.request('debug_traceTransaction', `0x${'11'.repeat(32)}`, config)
  expect(error).toMatchObject({ code: -32602, message: expect.stringMatching(message) })
})

test('reports unknown and pooled transactions as not found', async () => {
  const waiting = await send(node, 9n, COUNTER)
  for (const hash of [`0x${'11'.repeat(32)}`, waiting]) {
    expect((await node.request('debug_traceTransaction', hash)).error).toEqual({
      code: -32000,
      message: 'transaction not found',
    })
  }
})

test('enforces the limits of size and time and a shorter timeout of the client', async () => {
  const hash = await send(node, 2n, CALLER)
  await node.nextBlock()
  const small = await startRpcNode({ maxTraceBytes: 1_000, traceTimeoutMs: 5_000 })
  await deployContracts(small)
  const there = await send(small, 2n, CALLER)
  await small.nextBlock()
  expect((await small.request('debug_traceTransaction', there)).error).toEqual({
    code: -32003,
    message: 'the trace is larger than 1000 bytes: trace less of it at once',
  })
  expect((await small.request('debug_traceTransaction', there, { tracer: 'callTracer' })).error).toBeUndefined()
  await small.stop()
  const impatient = await startRpcNode({ maxTraceTimeoutMs: -1 })
  await deployContracts(impatient)
  const late = await send(impatient, 2n, CALLER)
  await impatient.nextBlock()
  expect((await impatient.request('debug_traceTransaction', late, { timeout: '1h' })).error).toEqual({
    code: -32000,
    message: 'execution timeout',
  })
  await impatient.stop()
  expect((await node.result('debug_traceTransaction', hash, { limit: 3 })).structLogs).toHaveLength(3)
})
