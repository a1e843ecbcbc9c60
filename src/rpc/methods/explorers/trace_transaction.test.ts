import { afterEach, beforeEach, expect, test } from 'vitest'
import { type RpcNode, startRpcNode } from '../../../../test/support/rpc-node.ts'
import { CALLER, COUNTER, deployContracts, send } from '../../../../test/support/traced-contracts.ts'
import { DEVELOPMENT_ACCOUNTS } from '../../../chain/accounts/development-accounts.ts'

const SENDER = DEVELOPMENT_ACCOUNTS[0]!.address
const UNKNOWN = `0x${'11'.repeat(32)}`

let node: RpcNode
beforeEach(async () => {
  node = await startRpcNode()
  await deployContracts(node)
})
afterEach(async () => {
  expect(node.logged).toEqual([])
  await node.stop()
})

test('trace_transaction lists the frames of pre-confirmed and sealed transactions with their position', async () => {
  await send(node, 2n, COUNTER)
  const hash = await send(node, 3n, CALLER)
  await node.nextFlashblock()
  for (const isSealed of [false, true]) {
    if (isSealed) await node.nextBlock()
    const receipt = await node.result('eth_getTransactionReceipt', hash)
    const position = {
      blockHash: receipt.blockHash,
      blockNumber: 2,
      transactionHash: hash,
      transactionPosition: 1,
      type: 'call',
    }

    expect(await node.result('trace_transaction', hash)).toEqual([
      {
        ...position,
        action: { from: SENDER, to: CALLER, callType: 'call', gas: '0x441d8', input: '0x', value: '0x0' },
        result: { gasUsed: expect.any(String), output: '0x' },
        subtraces: 1,
        traceAddress: [],
      },
      {
        ...position,
        action: {
          from: CALLER,
          to: COUNTER,
          callType: 'call',
          gas: expect.any(String),
          input: '0x',
          value: '0x0',
        },
        result: { gasUsed: expect.any(String), output: `0x${'2'.padStart(64, '0')}` },
        subtraces: 0,
        traceAddress: [0],
      },
    ])
  }
})

test('trace_transaction shows a creation with its code, and trace_block all transactions of the block', async () => {
  const frames = (await node.result('trace_block', '0x1')) as unknown as { transactionHash: string }[]

  expect(frames).toMatchObject([
    {
      type: 'create',
      action: { from: SENDER, creationMethod: 'create', value: '0x0' },
      result: { address: COUNTER, code: await node.result('eth_getCode', COUNTER) },
      transactionPosition: 0,
    },
    { type: 'create', result: { address: CALLER }, transactionPosition: 1 },
  ])
  expect(await node.result('trace_transaction', frames[1]!.transactionHash)).toEqual([frames[1]])
})

test.each([
  [undefined, null],
  ['anvil', []],
  ['hardhat', null],
] as const)(
  'with --compat %s, unknown blocks and transactions have the result %j, and an empty block []',
  async (compat, absent) => {
    const other = await startRpcNode({ compat })
    const pooled = await send(node, 9n, COUNTER)

    expect(await node.result('trace_transaction', pooled)).toBeNull()
    for (const method of ['trace_transaction', 'ots_getInternalOperations', 'ots_traceTransaction']) {
      expect(await other.result(method, UNKNOWN)).toEqual(absent)
    }
    for (const block of ['0x99', UNKNOWN]) {
      expect(await other.result('trace_block', block)).toEqual(absent)
      expect(await other.result('trace_replayBlockTransactions', block, ['trace'])).toEqual(absent)
    }
    expect(await other.result('trace_block', '0x0')).toEqual([])
  },
)

test('trace_replayBlockTransactions finds a block by its hash', async () => {
  const { hash } = await node.result('eth_getBlockByNumber', '0x1', false)

  const byNumber = await node.result('trace_replayBlockTransactions', '0x1', ['trace'])
  expect(await node.result('trace_replayBlockTransactions', hash, ['trace'])).toEqual(byNumber)
})

test('trace_get finds a frame by its path', async () => {
  const hash = await send(node, 2n, CALLER)
  await node.nextBlock()
  const [top, inner] = (await node.result('trace_transaction', hash)) as unknown as object[]

  expect(await node.result('trace_get', hash, [])).toEqual(top)
  expect(await node.result('trace_get', hash, ['0x0'])).toEqual(inner)
  expect(await node.result('trace_get', hash, [0])).toEqual(inner)
  for (const path of [['0x1'], ['0x0', '0x0']]) expect(await node.result('trace_get', hash, path)).toBeNull()
  expect(await node.result('trace_get', UNKNOWN, [])).toBeNull()
})

test('trace_replayTransaction has the requested members, and the gas of the transaction in the first frame', async () => {
  const hash = await send(node, 2n, CALLER)
  await node.nextBlock()
  const { gasUsed } = await node.result('eth_getTransactionReceipt', hash)
  const slot = `0x${'0'.repeat(64)}`

  const result = await node.result('trace_replayTransaction', hash, ['trace', 'stateDiff', 'vmTrace'])

  expect(result).toMatchObject({
    output: '0x',
    trace: [{ result: { gasUsed } }, { traceAddress: [0] }],
    stateDiff: {
      [COUNTER]: {
        balance: '=',
        code: '=',
        nonce: '=',
        storage: { [slot]: { '*': { from: slot, to: `0x${'1'.padStart(64, '0')}` } } },
      },
      [SENDER]: { nonce: { '*': { from: '0x2', to: '0x3' } }, storage: {} },
    },
    vmTrace: { code: await node.result('eth_getCode', CALLER) },
  })
  const { ops } = result.vmTrace as unknown as { ops: { op: string; sub: { code: string } | null }[] }
  expect(ops.map(({ op }) => op).slice(-3)).toEqual(['CALL', 'POP', 'STOP'])
  expect(ops.find(({ op }) => op === 'CALL')!.sub!.code).toBe(await node.result('eth_getCode', COUNTER))
  expect(await node.result('trace_replayTransaction', hash, [])).toEqual({
    output: '0x',
    trace: [],
    stateDiff: null,
    vmTrace: null,
  })
})

test('trace_replayBlockTransactions shows accounts that the block creates with + and their whole content', async () => {
  const [first] = (await node.result('trace_replayBlockTransactions', '0x1', ['stateDiff'])) as unknown as {
    transactionHash: string
    stateDiff: Record<string, unknown>
  }[]

  const block = await node.result('eth_getBlockByNumber', '0x1', false)
  expect(first!.transactionHash).toBe((block.transactions as string[])[0])
  expect(first!.stateDiff[COUNTER]).toEqual({
    balance: { '+': '0x0' },
    code: { '+': await node.result('eth_getCode', COUNTER) },
    nonce: { '+': '0x1' },
    storage: {},
  })
})

test('rejects unknown trace types and transactions with a clear error', async () => {
  expect((await node.request('trace_replayTransaction', UNKNOWN, ['trace'])).error).toEqual({
    code: -32000,
    message: 'transaction not found',
  })
  expect((await node.request('trace_replayTransaction', UNKNOWN, ['gas'])).error).toEqual({
    code: -32602,
    message: 'invalid argument 1: [0]: unknown trace type, want one of trace, vmTrace, stateDiff',
  })
})

test('a block whose traces are larger than the limit is refused', async () => {
  const small = await startRpcNode({ maxTraceBytes: 500 })
  await deployContracts(small)

  expect((await small.request('trace_block', '0x1')).error).toMatchObject({
    message: 'the trace is larger than 500 bytes: trace less of it at once',
  })
  await small.stop()
})
