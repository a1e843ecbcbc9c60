import { afterAll, beforeAll, expect, onTestFinished, test, vi } from 'vitest'
import { type RpcNode, startRpcNode } from '../../../test/support/rpc-node.ts'
import { requestOf, SLOW_STEP, slowDispatcher } from '../../../test/support/slow-dispatcher.ts'
import { CALLER, COUNTER, deployContracts, send, signed } from '../../../test/support/traced-contracts.ts'
import { DEVELOPMENT_ACCOUNTS } from '../../chain/accounts/development-accounts.ts'

const SENDER = DEVELOPMENT_ACCOUNTS[0]!.address
const STRANGER = `0x${'00'.repeat(18)}beef`
/** Returns the block number. */
const NUMBER_CODE = '0x435f5260205ff3'
/** Reverts without data. */
const REVERTER_CODE = '0x5f5ffd'

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

function word(value: number): string {
  return `0x${value.toString(16).padStart(64, '0')}`
}

test('each call sees what those before it wrote, also those of earlier bundles', async () => {
  const counted = { transactions: [{ to: COUNTER }, { to: COUNTER }] }
  const called = { transactions: [{ to: CALLER }, { to: COUNTER }] }

  expect(await node.result('eth_callMany', [counted, called, {}, counted])).toEqual([
    [{ value: word(3) }, { value: word(4) }],
    [{ value: '0x' }, { value: word(6) }],
    [],
    [{ value: word(7) }, { value: word(8) }],
  ])
  expect(await node.result('eth_call', { to: COUNTER })).toBe(word(3))
})

test('runs before a transaction of the block, or after all for -1', async () => {
  const bundles = [{ transactions: [{ to: COUNTER }] }]
  const at = (transactionIndex: number) =>
    node.result('eth_callMany', bundles, { blockNumber: '0x2', transactionIndex })

  expect(await at(0)).toEqual([[{ value: word(1) }]])
  expect(await at(1)).toEqual([[{ value: word(2) }]])
  expect(await at(-1)).toEqual([[{ value: word(3) }]])
})

test('overrides blocks by bundle and the state of all', async () => {
  const bundle = (number: string) => ({ transactions: [{ to: STRANGER }], blockOverride: { number } })
  const overrides = { [STRANGER]: { code: NUMBER_CODE } }

  expect(await node.result('eth_callMany', [bundle('0x64'), bundle('0x65')], {}, overrides)).toEqual([
    [{ value: word(100) }],
    [{ value: word(101) }],
  ])
})

test('a call that fails has an error, and the next ones run', async () => {
  const transactions = [{ to: STRANGER }, { to: COUNTER }]

  const [results] = (await node.result(
    'eth_callMany',
    [{ transactions }],
    {},
    {
      [STRANGER]: { code: REVERTER_CODE },
    },
  )) as unknown as unknown[]

  expect(results).toEqual([{ error: 'execution reverted' }, { value: word(3) }])
})

test.each([
  [[[{ transactions: [{ to: COUNTER, gas: '0x1' }] }]], /intrinsic gas too low/],
  [[[{ transactions: [{ to: COUNTER }] }], { blockNumber: '0x2', transactionIndex: 9 }], /index 9 out of range/],
  [[[{ transactions: [{ to: COUNTER }] }], { transactionIndex: -2 }], /whole number from -1/],
  [[Array.from({ length: 2 }, () => ({ transactions: Array(5_001).fill({ to: COUNTER }) }))], /want at most 10000/],
  [[[{}, ...Array(2).fill({ transactions: Array(5_000).fill({ to: COUNTER }) })]], /10001 calls, want at most 10000/],
])('eth_callMany refuses invalid requests: %#', async (params, message) => {
  expect((await node.request('eth_callMany', ...params)).error?.message).toMatch(message)
})

test('resolves state overrides once, whatever the number of bundles', async () => {
  const precompiles = vi.spyOn(node.deps.node.engine, 'precompiles')
  onTestFinished(() => precompiles.mockRestore())

  const results = await node.result('eth_callMany', Array(1_000).fill({}), {}, { [STRANGER]: { code: '0x00' } })

  expect(results).toEqual(Array(1_000).fill([]))
  // Each resolution asks for the precompiles that an override may move.
  expect(precompiles).toHaveBeenCalledOnce()
})

test('bundles without calls end with the time of a call', async () => {
  const dispatcher = slowDispatcher(node, { callTimeoutMs: 100 * SLOW_STEP })

  expect((await requestOf(dispatcher, 'eth_callMany', Array(10).fill({}))).result).toEqual(Array(10).fill([]))
  const { error } = await requestOf(dispatcher, 'eth_callMany', Array(200).fill({}))

  expect(error?.message).toMatch(/execution aborted/)
})

test('eth_callBundle executes signed transactions in order and says what they pay', async () => {
  const first = signed(4n, COUNTER)
  const second = signed(5n, COUNTER)

  const result = await node.result('eth_callBundle', { txs: [first.raw, second.raw], blockNumber: '0x3' })

  const results = result.results as { gasUsed: number; gasFees: string }[]
  expect(result).toMatchObject({
    stateBlockNumber: 2,
    totalGasUsed: results[0]!.gasUsed + results[1]!.gasUsed,
    gasFees: String(BigInt(results[0]!.gasFees) + BigInt(results[1]!.gasFees)),
    coinbaseDiff: result.gasFees,
    ethSentToCoinbase: '0',
    results: [
      { fromAddress: SENDER, toAddress: COUNTER, txHash: first.hash, value: word(3) },
      { fromAddress: SENDER, toAddress: COUNTER, txHash: second.hash, value: word(4) },
    ],
  })
  expect(BigInt(String(result.gasFees))).toBeGreaterThan(0n)
  expect(await node.result('eth_getTransactionCount', SENDER)).toBe('0x4')
})

test.each([
  [{ blockNumber: '0x3' }, /bundle missing txs/],
  [{ txs: [signed(4n, COUNTER).raw] }, /bundle missing blockNumber/],
  [{ txs: ['0x02c0'], blockNumber: '0x3' }, /could not decode transaction/],
  [{ txs: [signed(9n, COUNTER).raw], blockNumber: '0x3' }, /nonce too high/],
])('eth_callBundle refuses %j', async (bundle, message) => {
  expect((await node.request('eth_callBundle', bundle)).error?.message).toMatch(message)
})

test('eth_callBundle accepts as many transactions as a simulated block', async () => {
  const dispatcher = slowDispatcher(node, { maxSimulatedBlockCalls: 2, callTimeoutMs: 1e9 })
  const txs = [4n, 5n, 6n].map((nonce) => signed(nonce, COUNTER).raw)
  const execute = (count: number) =>
    requestOf(dispatcher, 'eth_callBundle', { txs: txs.slice(0, count), blockNumber: '0x3' })

  expect((await execute(2)).error).toBeUndefined()
  expect((await execute(3)).error).toMatchObject({ code: -32602, message: '3 transactions, want at most 2' })
})

test('recovering the senders of a bundle ends with the time of a call', async () => {
  const dispatcher = slowDispatcher(node, { callTimeoutMs: 10 * SLOW_STEP })
  // Its first transaction cannot be executed.
  const txs = Array(20).fill(signed(9n, COUNTER).raw)

  const { error } = await requestOf(dispatcher, 'eth_callBundle', { txs, blockNumber: '0x3' })

  expect(error?.message).toMatch(/execution aborted/)
})
