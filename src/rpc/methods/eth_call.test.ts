import { beforeEach, expect, test } from 'vitest'
import { deployEmitter, EMITTER, EMITTER_CODE, signDeployment } from '../../../test/support/log-emitter.ts'
import { type RpcNode, startRpcNode } from '../../../test/support/rpc-node.ts'
import { DEVELOPMENT_ACCOUNTS } from '../../chain/accounts/development-accounts.ts'

/** Returns number, timestamp, base fee, prevrandao and coinbase, a word each. */
const ENVIRONMENT = '0x43600052426020524860405244606052416080526' + '0a06000f3'
/** Reverts with `Error("nope")`. */
const REVERT =
  '0x7f08c379a000000000000000000000000000000000000000000000000000000000600052' +
  '60206004526004602452' +
  '7f6e6f706500000000000000000000000000000000000000000000000000000000604452' +
  '60646000fd'
const TARGET = `0x${'ca'.repeat(20)}`

let node: RpcNode
beforeEach(async () => {
  node = await startRpcNode()
})
test('a call at pending executes in the pending block', async () => {
  await node.nextFlashblock()
  const block = await node.result('eth_getBlockByNumber', 'pending', false)
  const output = await node.result(
    'eth_call',
    { to: TARGET, gasPrice: block.baseFeePerGas, from: sender() },
    'pending',
    {
      [TARGET]: { code: ENVIRONMENT },
    },
  )
  const expected = [block.number, block.timestamp, block.baseFeePerGas, block.mixHash, block.miner]
  expect(output).toBe(`0x${expected.map((word) => String(word).slice(2).padStart(64, '0')).join('')}`)
})

test('applies block overrides', async () => {
  const overrides = { number: '0x7', time: '0xffffffff', baseFeePerGas: '0x0', feeRecipient: TARGET }
  const output = await node.result('eth_call', { to: TARGET }, 'latest', { [TARGET]: { code: ENVIRONMENT } }, overrides)
  expect(String(output).slice(2, 130)).toBe(`${'7'.padStart(64, '0')}${'ffffffff'.padStart(64, '0')}`)
})

test('rejects a block number above 2^53 - 1 instead of truncating it', async () => {
  const { error } = await node.request('eth_call', { to: TARGET }, 'latest', {}, { number: '0x20000000000000' })
  expect(error).toEqual({
    code: -32602,
    message: 'invalid argument 3: number: block number 9007199254740992 is too large, want at most 9007199254740991',
  })
})

test('reports a revert with code 3, reason and data', async () => {
  const { error } = await node.request('eth_call', { to: TARGET }, 'latest', { [TARGET]: { code: REVERT } })
  expect(error).toMatchObject({
    code: 3,
    message: 'execution reverted: nope',
    data: expect.stringMatching(/^0x08c379a0/),
  })
  const estimate = await node.request('eth_estimateGas', { to: TARGET }, 'latest', { [TARGET]: { code: REVERT } })
  expect(estimate.error).toEqual(error)
})

test('a contract deployed in the open block exists at pending and not at latest', async () => {
  await node.result('eth_sendRawTransaction', signDeployment().raw)
  await node.nextFlashblock()
  expect(await node.result('eth_getCode', EMITTER, 'pending')).toBe(EMITTER_CODE)
  expect(await node.result('eth_getCode', EMITTER, 'latest')).toBe('0x')
  await node.nextBlock()
  expect(await node.result('eth_getCode', EMITTER)).toBe(EMITTER_CODE)
})

test('reports an unknown block as header not found', async () => {
  await deployEmitter(node)
  for (const block of ['0xffff', { blockHash: `0x${'11'.repeat(32)}` }]) {
    for (const method of ['eth_getBalance', 'eth_getCode', 'eth_getTransactionCount']) {
      expect((await node.request(method, TARGET, block)).error).toEqual({ code: -32000, message: 'header not found' })
    }
    expect((await node.request('eth_call', { to: TARGET }, block)).error?.message).toBe('header not found')
  }
})

test.each([
  [
    { to: TARGET, gasPrice: '0x1', maxFeePerGas: '0x1' },
    -32000,
    'both gasPrice and (maxFeePerGas or maxPriorityFeePerGas) specified',
  ],
  [{ to: TARGET, gas: '0x1' }, -32000, 'intrinsic gas too low'],
  [{ to: TARGET, from: `0x${'09'.repeat(20)}`, value: '0x1' }, -32000, 'insufficient funds'],
  [{ to: '0x1' }, -32602, 'invalid argument 0: to: hex string of odd length'],
])('rejects %j with %i %s', async (call, code, message) => {
  expect((await node.request('eth_call', call)).error).toMatchObject({
    code,
    message: expect.stringContaining(message),
  })
  expect(node.logged).toEqual([])
})

function sender(): string {
  return DEVELOPMENT_ACCOUNTS[0]!.address
}

/** Loops until its gas is used up. */
const ENDLESS = { [TARGET]: { code: '0x5b600056' } }

test('aborts a call at its time limit, which the error names, and serves the next one', async () => {
  const impatient = await startRpcNode({ callTimeoutMs: -1 })
  const error = { code: -32000, message: 'execution aborted (timeout = -0.001s)' }
  expect((await impatient.request('eth_call', { to: TARGET }, 'latest', ENDLESS)).error).toEqual(error)
  expect((await impatient.request('eth_estimateGas', { to: TARGET }, 'latest', ENDLESS)).error).toEqual(error)
  expect((await impatient.request('eth_call', { to: TARGET }, 'latest')).result).toBe('0x')
  await impatient.stop()
})

test.each([
  ['base', (baseFee: string) => baseFee],
  ['ethereum', () => '0x0'],
] as const)('sets the base fee seen by a call without fees as dialect %s defines', async (dialect, expected) => {
  await node.stop()
  node = await startRpcNode({ dialect })
  const { baseFeePerGas } = await node.result('eth_getBlockByNumber', 'latest', false)
  const seen = await node.result('eth_call', { to: TARGET }, 'latest', { [TARGET]: { code: '0x485f5260205ff3' } })
  expect(BigInt(String(seen))).toBe(BigInt(expected(String(baseFeePerGas))))
})
