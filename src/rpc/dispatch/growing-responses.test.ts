import { afterAll, beforeAll, expect, test } from 'vitest'
import { initCode } from '../../../test/support/contracts.ts'
import { type RpcNode, startRpcNode } from '../../../test/support/rpc-node.ts'
import { requestOf as request, slowDispatcher } from '../../../test/support/slow-dispatcher.ts'
import { signTransfer } from '../../../test/support/transfers.ts'
import { DEVELOPMENT_ACCOUNTS } from '../../chain/accounts/development-accounts.ts'
import { createAddress } from '../../chain/transaction/contract-address.ts'
import { bytesToHex } from '../../primitives/hex.ts'
import type { Dispatcher } from './dispatcher.ts'

const KIBIBYTE = 1024
const MEBIBYTE = 1024 * KIBIBYTE
/** Emits a log of 20 KiB: `PUSH2 0x5000 PUSH1 0 LOG0`. */
const EMITTER_RUNTIME = '6150006000a0'
const EMITTER = createAddress(DEVELOPMENT_ACCOUNTS[0]!.address, 0n)
/** Returns 16 KiB of zeros: `PUSH2 0x4000 PUSH1 0 RETURN`. */
const RETURNER_RUNTIME = '6140006000f3'
const RETURNER = createAddress(DEVELOPMENT_ACCOUNTS[0]!.address, 1n)
/** `JUMPDEST PUSH1 0 JUMP` */
const ENDLESS = { [EMITTER]: { code: '0x5b600056' } }
const LOGS = 12
/** Blocks after half of them: a poll has a turn before it looks at the other half. */
const EMPTY_BLOCKS = 33

let node: RpcNode
/** By `maxAssembledBytes`. */
const dispatchers = new Map<number, Dispatcher>()
let filters: readonly unknown[]
beforeAll(async () => {
  node = await startRpcNode()
  let nonce = 0n
  const send = (options: Parameters<typeof signTransfer>[0]) =>
    node.result('eth_sendRawTransaction', bytesToHex(signTransfer(options).raw))
  for (const runtime of [EMITTER_RUNTIME, RETURNER_RUNTIME])
    await send({ nonce: nonce++, to: null, data: initCode(runtime), gasLimit: 200_000n })
  await node.nextBlock()
  for (const limit of [100 * KIBIBYTE, 300 * KIBIBYTE, MEBIBYTE])
    dispatchers.set(limit, slowDispatcher(node, { maxAssembledBytes: limit, logTimeoutMs: 1e9, callTimeoutMs: 1e9 }))
  const newFilter = () => request(dispatchers.get(300 * KIBIBYTE)!, 'eth_newFilter', {})
  filters = (await Promise.all(Array.from({ length: 6 }, newFilter))).map(({ result }) => result)
  const emit = async () => send({ nonce: nonce++, to: EMITTER, value: 0n, gasLimit: 400_000n })
  for (let count = 0; count < LOGS / 2; count++) await emit()
  for (let count = 0; count < EMPTY_BLOCKS; count++) await node.nextBlock()
  for (let count = 0; count < LOGS / 2; count++) await emit()
  await node.nextBlock()
  // Behind a gap, so that they wait.
  for (let from = 1; from < 8; from++) {
    await send({ from, nonce: 10n, data: new Uint8Array(40 * KIBIBYTE), gasLimit: 2_000_000n })
  }
}, 120_000)
afterAll(async () => {
  expect(node.logged).toEqual([])
  await node.stop()
})

const RETURNING_CALLS = Array.from({ length: 40 }, () => ({ to: RETURNER }))
const SIMULATION = { blockStateCalls: [{ calls: RETURNING_CALLS }] }
const RETURNING_BUNDLES = [{ transactions: RETURNING_CALLS.slice(20) }, { transactions: RETURNING_CALLS.slice(20) }]
/** After two deployments and the logs. */
const FIRST_NONCE = 2n + BigInt(LOGS)
const SIGNED_BUNDLE = {
  txs: RETURNING_CALLS.map(({ to }, index) =>
    bytesToHex(signTransfer({ nonce: FIRST_NONCE + BigInt(index), to, value: 0n, gasLimit: 100_000n }).raw),
  ),
  blockNumber: 'latest',
}
/**
 * Emits logs of four topics and no data while there is gas: `JUMPDEST PUSH0 x 6 LOG4 GAS PUSH2 10000 LT PUSH0 JUMPI`.
 */
const EMITTING = { [EMITTER]: { code: '0x5b5f5f5f5f5f5fa45a612710105f57' } }
const SIMULATED_LOGS = {
  blockStateCalls: [
    { stateOverrides: EMITTING, calls: Array.from({ length: 4 }, () => ({ to: EMITTER, gas: '0x100000' })) },
  ],
}
const TRACE = { gas: '0x30000', to: EMITTER }

test.each([
  ['eth_getLogs', { fromBlock: '0x0', toBlock: 'latest' }],
  ['txpool_content'],
  ['eth_simulateV1', SIMULATION, 'latest'],
  ['eth_simulateV1', SIMULATED_LOGS, 'latest'],
  ['eth_callMany', RETURNING_BUNDLES],
  ['eth_callBundle', SIGNED_BUNDLE],
  ['debug_traceCall', TRACE, 'latest', { stateOverrides: ENDLESS }],
])('%s: limits the memory of concurrent large responses', async (...call) => {
  const dispatcher = dispatchers.get(MEBIBYTE)!
  const [method, ...params] = call
  const responses = await Promise.all(Array.from({ length: 6 }, () => request(dispatcher, method, ...params)))
  const whole = responses.filter(({ result }) => result !== undefined)
  const refused = responses.filter(({ error }) => error?.code === -32005)
  expect(whole.length).toBeGreaterThan(0)
  expect(refused.length).toBeGreaterThan(0)
  expect(whole.length + refused.length).toBe(responses.length)
  // What they took is given back: as much fits again, and an answer of its own is bounded by its own limits alone.
  const again = await Promise.all(Array.from({ length: 6 }, () => request(dispatcher, method, ...params)))
  expect(again.map(({ error }) => error?.code)).toEqual(responses.map(({ error }) => error?.code))
  const alone = await request(dispatchers.get(100 * KIBIBYTE)!, method, ...params)
  expect(alone.text.length).toBeGreaterThan(100 * KIBIBYTE)
  expect(alone.result).toEqual(whole[0]!.result)
})

test('eth_getFilterChanges: changes refused for lack of memory are returned by the next poll', async () => {
  const poll = (id: unknown) => request(dispatchers.get(300 * KIBIBYTE)!, 'eth_getFilterChanges', id)
  const responses = await Promise.all(filters.map(poll))
  expect(responses.map(({ error }) => error?.code)).toContain(-32005)
  for (const [index, { result }] of responses.entries()) {
    expect(result ?? (await poll(filters[index])).result).toHaveLength(LOGS)
    expect((await poll(filters[index])).result).toEqual([])
  }
})

test.each([
  ['eth_simulateV1', 'outputs', SIMULATION],
  ['eth_simulateV1', 'logs without data', SIMULATED_LOGS],
  ['eth_callMany', 'outputs', RETURNING_BUNDLES],
  ['eth_callBundle', 'outputs', SIGNED_BUNDLE],
])('%s stops when its %s exceed the size limit of a response', async (method, _, payload) => {
  const dispatcher = slowDispatcher(node, { maxResponseBytes: 100 * KIBIBYTE, callTimeoutMs: 1e9 })
  expect((await request(dispatcher, method, payload)).error).toMatchObject({
    code: -32003,
    message: 'response too large: more than 102400 bytes; ask for less at once',
  })
})
