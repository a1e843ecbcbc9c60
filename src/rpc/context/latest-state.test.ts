import { expect, test } from 'vitest'
import { EMITTER, EMITTER_CODE, signDeployment, signEmission, topicOf } from '../../../test/support/log-emitter.ts'
import { type RpcNode, startRpcNode } from '../../../test/support/rpc-node.ts'
import { DEVELOPMENT_ACCOUNTS } from '../../chain/accounts/development-accounts.ts'
import { MANUAL } from '../../node/development/mining-mode.ts'
import { createRpc } from '../create-rpc.ts'
import type { LatestState } from '../protocol/latest-state.ts'
import { ANONYMOUS } from '../protocol/rpc-client.ts'

const SENDER = DEVELOPMENT_ACCOUNTS[0]!.address
/** Returns the number, the time and the base fee of the block. */
const ENVIRONMENT = { to: EMITTER, input: '0x' }
const OVERRIDES = { [EMITTER]: { code: '0x435f5242602052486040526060' + '5ff3' } }

/** A contract and a used nonce that are pre-confirmed, and a further transaction in the pool. */
async function startOpenBlock(latestState: LatestState, options: Parameters<typeof startRpcNode>[0] = {}) {
  const node = await startRpcNode({ latestState, ...options })
  await node.nextBlock()
  await node.result('eth_sendRawTransaction', signDeployment().raw)
  await node.nextFlashblock()
  await node.result('eth_sendRawTransaction', signEmission(1n, topicOf(1)).raw)
  return node
}

const CALL = { from: SENDER, to: EMITTER, data: topicOf(1) }
/** Methods that read state or run calls, with `block` where the block belongs. */
const READS: readonly (readonly [method: string, params: readonly unknown[]])[] = [
  ['eth_getBalance', [SENDER, 'block']],
  ['eth_getCode', [EMITTER, 'block']],
  ['eth_getAccountInfo', [SENDER, 'block']],
  ['eth_getStorageAt', [EMITTER, '0x0', 'block']],
  ['eth_getStorageValues', [{ [EMITTER]: ['0x0'] }, 'block']],
  ['ots_hasCode', [EMITTER, 'block']],
  ['eth_call', [ENVIRONMENT, 'block', OVERRIDES]],
  ['eth_estimateGas', [CALL, 'block']],
  ['eth_createAccessList', [CALL, 'block']],
  ['eth_simulateV1', [{ blockStateCalls: [{ calls: [CALL] }] }, 'block']],
  ['eth_callMany', [[{ transactions: [CALL] }], { blockNumber: 'block' }]],
  ['eth_callBundle', [{ txs: [signEmission(1n, topicOf(1)).raw], blockNumber: '0x2', stateBlockNumber: 'block' }]],
  ['debug_traceCall', [CALL, 'block']],
  ['trace_call', [CALL, ['trace'], 'block']],
  ['trace_callMany', [[[CALL, ['trace']]], 'block']],
  ['trace_rawTransaction', [signEmission(1n, topicOf(1)).raw, ['trace'], 'block']],
]
/** Those whose result is the same in the sealed state of this chain. */
const ALIKE = new Set(['eth_getStorageAt', 'eth_getStorageValues', 'eth_callMany'])

function at(block: unknown, params: readonly unknown[]): readonly unknown[] {
  return JSON.parse(JSON.stringify(params).replace('"block"', JSON.stringify(block)))
}

test.each(READS)(
  'with preconfirmed, %s at latest and without a block sees what pending shows',
  async (method, params) => {
    const node = await startOpenBlock('preconfirmed')
    const pending = await node.request(method, ...at('pending', params))

    expect(pending.error).toBeUndefined()
    expect(await node.request(method, ...at('latest', params))).toEqual(pending)
    expect(await node.request(method, ...at(null, params))).toEqual(pending)
    const sealed = await node.request(method, ...at('0x1', params))
    if (!ALIKE.has(method)) expect(sealed).not.toEqual(pending)
  },
)

test('with preconfirmed, latest in an object of EIP-1898 stands for the same state', async () => {
  const node = await startOpenBlock('preconfirmed')

  expect(await node.result('eth_getCode', EMITTER, { blockNumber: 'latest' })).toBe(EMITTER_CODE)
})

test('with preconfirmed, the nonce at latest does not count transactions of the pool', async () => {
  const node = await startOpenBlock('preconfirmed')

  expect(await node.result('eth_getTransactionCount', SENDER)).toBe('0x1')
  expect(await node.result('eth_getTransactionCount', SENDER, 'latest')).toBe('0x1')
  expect(await node.result('eth_getTransactionCount', SENDER, 'pending')).toBe('0x2')
})

test('with preconfirmed, blocks, heights, logs and proofs at latest stay sealed, within one batch as well', async () => {
  const node = await startOpenBlock('preconfirmed')
  await node.nextFlashblock()
  const batch = [
    ['eth_getBlockByNumber', ['latest', false]],
    ['eth_blockNumber', []],
    ['eth_getCode', [EMITTER, 'latest']],
    ['eth_getLogs', [{ fromBlock: 'latest', toBlock: 'latest' }]],
    ['eth_getBlockReceipts', ['latest']],
    ['eth_getProof', [SENDER, [], 'latest']],
    ['eth_getAccount', [SENDER]],
    ['eth_feeHistory', ['0x1', 'latest', []]],
  ].map(([method, params], id) => ({ jsonrpc: '2.0', id, method, params }))

  const responses: { readonly result: unknown }[] = JSON.parse((await node.rpc.handle(JSON.stringify(batch)))!)

  const [block, number, code, logs, receipts, proof, account, fees] = responses.map(({ result }) => result)
  expect(block).toMatchObject({ number: '0x1', transactions: [] })
  expect([number, code, logs, receipts]).toEqual(['0x1', EMITTER_CODE, [], []])
  expect(proof).toMatchObject({ nonce: '0x0' })
  expect(account).toMatchObject({ nonce: '0x0' })
  expect(fees).toMatchObject({ oldestBlock: '0x1' })
})

test('with preconfirmed, heights, hashes, safe and finalized name the blocks that they name otherwise', async () => {
  const node = await startOpenBlock('preconfirmed')
  const { hash } = await node.result('eth_getBlockByNumber', 'latest', false)

  for (const block of ['0x1', hash, { blockHash: hash }, 'safe', 'finalized', 'earliest']) {
    expect(await node.result('eth_getCode', EMITTER, block)).toBe('0x')
  }
})

test('with preconfirmed, a position in latest is one in the newest sealed block', async () => {
  const node = await startOpenBlock('preconfirmed')
  await node.nextBlock()

  const trace = await node.result('debug_traceCall', CALL, 'latest', { tracer: 'callTracer', txIndex: '0x0' })
  const environment = { ...ENVIRONMENT, from: SENDER }
  const settings = { tracer: 'callTracer', txIndex: '0x0', stateOverrides: OVERRIDES }
  const { output } = await node.result('debug_traceCall', environment, 'latest', settings)

  expect(trace).not.toHaveProperty('logs')
  expect(BigInt(String(output).slice(0, 66))).toBe(2n)
})

test('sealed is the default: latest and no block show the newest sealed block', async () => {
  const node = await startOpenBlock('sealed')

  expect(await node.result('eth_getCode', EMITTER)).toBe('0x')
  expect(await node.result('eth_getTransactionCount', SENDER, 'latest')).toBe('0x0')
})

test.each([
  ['sealed', 'preconfirmed', EMITTER_CODE],
  ['preconfirmed', 'sealed', '0x'],
] as const)('with %s, a client whose connection chose %s reads %s', async (latestState, chosen, code) => {
  const node = await startOpenBlock(latestState)
  const client = { ...ANONYMOUS, latestState: chosen }
  const text = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'eth_getCode', params: [EMITTER] })
  const sent: string[] = []

  await node.rpc.connect((response) => sent.push(response), {}, client).receive(text)

  expect(JSON.parse((await node.rpc.handle(text, client))!).result).toBe(code)
  expect(JSON.parse(sent[0]!).result).toBe(code)
})

test('a worker thread reads the state at latest that the request reads', async () => {
  const node = await startOpenBlock('preconfirmed')
  const given: LatestState[] = []
  const offload = {
    isFree: () => true,
    startSpareThread: () => undefined,
    run: async ({ latestState }: { readonly latestState: LatestState }) => void given.push(latestState),
  }
  const rpc = createRpc(node.options, { ...node.deps, offload })
  const text = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'trace_call', params: [CALL, []] })

  await rpc.handle(text)
  await rpc.handle(text, { ...ANONYMOUS, latestState: 'sealed' })

  expect(given).toEqual(['preconfirmed', 'sealed'])
})

test('in dialect ethereum, estimates and simulations without a block see the pre-confirmed state', async () => {
  const node = await startOpenBlock('preconfirmed', { dialect: 'ethereum' })

  for (const method of ['eth_estimateGas', 'eth_createAccessList']) {
    expect(await node.result(method, CALL)).toEqual(await node.result(method, CALL, 'pending'))
  }
  const simulation = { blockStateCalls: [{ calls: [CALL] }] }
  const [latest] = (await node.result('eth_simulateV1', simulation)) as unknown as RpcNode['result'][]
  const [pending] = (await node.result('eth_simulateV1', simulation, 'pending')) as unknown as RpcNode['result'][]
  expect(latest).toEqual(pending)
})

test('with blocks on demand preconfirmed changes nothing', async () => {
  const chain = { mining: MANUAL }
  const node = await startRpcNode({ development: true, latestState: 'preconfirmed' }, { development: chain })
  await node.result('evm_mine')
  await node.result('eth_sendRawTransaction', signDeployment().raw)

  expect(await node.result('eth_getCode', EMITTER)).toBe('0x')
  const output = String(await node.result('eth_call', ENVIRONMENT, 'latest', OVERRIDES))
  expect(output).toBe(await node.result('eth_call', ENVIRONMENT, '0x1', OVERRIDES))
})
