import { afterAll, beforeAll, expect, test } from 'vitest'
import { type RpcNode, startRpcNode } from '../../../test/support/rpc-node.ts'
import { CALLER, COUNTER, deployContracts, send } from '../../../test/support/traced-contracts.ts'

const STRANGER = `0x${'00'.repeat(18)}beef`
/** Returns the block number. */
const NUMBER_CODE = '0x435f5260205ff3'
const CALL_TRACER = { tracer: 'callTracer' }

let node: RpcNode
/** Block 2 calls the counter twice. */
beforeAll(async () => {
  node = await startRpcNode()
  await deployContracts(node)
  await send(node, 2n, COUNTER)
  await send(node, 3n, COUNTER)
  await node.nextBlock()
})
afterAll(() => node.stop())

const word = (value: number) => `0x${value.toString(16).padStart(64, '0')}`

async function outputs(...params: readonly unknown[]): Promise<unknown> {
  const traces = (await node.result('debug_traceCallMany', ...params)) as unknown as { readonly output?: string }[][]
  return traces.map((bundle) => bundle.map(({ output }) => output))
}

test('traces each call on the state after those before it, also those of earlier bundles, and keeps nothing', async () => {
  const counted = { transactions: [{ to: COUNTER }, { to: COUNTER }] }
  const called = { transactions: [{ to: CALLER }, { to: COUNTER }] }

  expect(await outputs([counted, called, {}, counted], {}, CALL_TRACER)).toEqual([
    [word(3), word(4)],
    [undefined, word(6)],
    [],
    [word(7), word(8)],
  ])
  expect(await node.result('eth_call', { to: COUNTER })).toBe(word(3))
})

test('traces before a transaction of the block, or after all of them', async () => {
  const at = (transactionIndex: number) =>
    outputs([{ transactions: [{ to: COUNTER }] }], { blockNumber: '0x2', transactionIndex }, CALL_TRACER)

  expect(await at(0)).toEqual([[word(1)]])
  expect(await at(1)).toEqual([[word(2)]])
  expect(await at(-1)).toEqual([[word(3)]])
})

test('overrides the block of a bundle, and the state before the first one', async () => {
  const bundle = (number: string) => ({ transactions: [{ to: STRANGER }], blockOverride: { number } })
  const config = { ...CALL_TRACER, stateOverrides: { [STRANGER]: { code: NUMBER_CODE } } }

  expect(await outputs([bundle('0x64'), bundle('0x65')], {}, config)).toEqual([[word(100)], [word(101)]])
})

test('a prestate trace of a later bundle begins with what earlier bundles wrote', async () => {
  const bundle = { transactions: [{ to: COUNTER }] }

  const traces = await node.result('debug_traceCallMany', [bundle, bundle], {}, { tracer: 'prestateTracer' })

  const slots = (traces as unknown as Record<string, { readonly storage: object }>[][]).map(
    ([trace]) => trace![COUNTER]!.storage,
  )
  expect(slots).toEqual([{ [word(0)]: word(2) }, { [word(0)]: word(3) }])
})

test('without a tracer each instruction is traced', async () => {
  const [[trace]] = (await node.result('debug_traceCallMany', [{ transactions: [{ to: COUNTER }] }])) as unknown as [
    [{ readonly structLogs: readonly unknown[]; readonly returnValue: string }],
  ]
  expect(trace.structLogs.length).toBeGreaterThan(3)
  expect(trace.returnValue).toBe(word(3))
})

test.each([
  [[[{ transactions: [{ to: COUNTER, gas: '0x1' }] }]], /intrinsic gas too low.*supplied gas 1\b/],
  [[[{ transactions: [{ to: COUNTER }] }], { blockNumber: '0x2', transactionIndex: 9 }], /index 9 out of range/],
  [[[], {}, { blockOverrides: { number: '0x1' } }], /give each bundle its own as blockOverride/],
  [[[], {}, { txIndex: '0x0' }], /give transactionIndex in the state context/],
  [[[{ transactions: [{ to: COUNTER }] }], { blockNumber: '0x63' }], /header not found/],
])('refuses %j', async (params, message) => {
  expect((await node.request('debug_traceCallMany', ...params)).error?.message).toMatch(message)
})
