import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { encodeFunctionData, parseAbi } from 'viem'
import { beforeEach, expect, onTestFinished, test } from 'vitest'
import { type RpcNode, startRpcNode } from '../../../../test/support/rpc-node.ts'
import { DEVELOPMENT_ACCOUNTS } from '../../../chain/accounts/development-accounts.ts'
import { hexToBytes } from '../../../primitives/hex.ts'
import artifact from '../../wallet/batch-executor.json' with { type: 'json' }
import { BATCH_EXECUTOR_ADDRESS, encodeExecute } from '../../wallet/batch-executor.ts'

const [sender = '', other = ''] = DEVELOPMENT_ACCOUNTS.map(({ address }): string => address)
const FIRST = `0x${'00'.repeat(19)}a1`
const SECOND = `0x${'00'.repeat(19)}a2`
/** Init code of a contract that always reverts. */
const REVERTING = '0x645f5ffd00005f526005601bf3'

let node: RpcNode
beforeEach(async () => {
  node = await startRpcNode({ development: true })
})
function bundle(calls: readonly object[], members: object = {}) {
  return { version: '2.0.0', from: sender, chainId: '0x7a69', atomicRequired: true, calls, ...members }
}

test('encodes a batch as the ABI of the executor does', () => {
  const calls = [
    { to: FIRST, value: 5n, data: '0x010203' },
    { to: SECOND, value: 0n, data: '0x' },
  ] as const
  const abi = parseAbi(['function execute((address to, uint256 value, bytes data)[] calls)'])

  const encoded = encodeExecute(
    calls.map(({ to, value, data }) => ({ to: to as never, value, data: hexToBytes(data) })),
  )

  expect(`0x${Buffer.from(encoded).toString('hex')}`).toBe(
    encodeFunctionData({ abi, functionName: 'execute', args: [calls as never] }),
  )
  expect(artifact.abi.some(({ name }) => name === 'execute')).toBe(true)
})

test('a bundle of more than 1,000 calls is too large', async () => {
  const calls = Array.from({ length: 1_001 }, () => ({ to: FIRST }))

  expect((await node.request('wallet_sendCalls', bundle(calls))).error).toEqual({
    code: 5740,
    message: '1001 calls, want at most 1000',
  })
})

test('a bundle of several calls is one transaction through a delegation, and the next one needs none', async () => {
  const calls = [
    { to: FIRST, value: '0x1' },
    { to: SECOND, value: '0x2' },
  ]
  const { id } = await node.result('wallet_sendCalls', bundle(calls))
  expect(await node.result('wallet_getCallsStatus', id)).toMatchObject({ status: 100, atomic: true, receipts: [] })

  await node.nextBlock()

  const status = await node.result('wallet_getCallsStatus', id)
  expect(status).toMatchObject({ id, status: 200, atomic: true, chainId: '0x7a69', receipts: [{ status: '0x1' }] })
  expect(await node.result('eth_getBalance', FIRST)).toBe('0x1')
  expect(await node.result('eth_getBalance', SECOND)).toBe('0x2')
  expect(await node.result('eth_getCode', sender)).toBe(`0xef0100${BATCH_EXECUTOR_ADDRESS.slice(2)}`)
  expect(await node.result('wallet_getCapabilities', sender)).toEqual({ '0x7a69': { atomic: { status: 'supported' } } })

  const again = await node.result('wallet_sendCalls', bundle(calls))
  await node.nextBlock()
  const [receipt] = (await node.result('wallet_getCallsStatus', again.id)).receipts as { transactionHash: string }[]
  expect(await node.result('eth_getTransactionByHash', receipt?.transactionHash)).toMatchObject({ type: '0x2' })
  expect(await node.result('eth_getBalance', SECOND)).toBe('0x4')
})

test('bundles in a row are all included, although the delegation of the first uses a nonce as well', async () => {
  const calls = [
    { to: FIRST, value: '0x1' },
    { to: SECOND, value: '0x2' },
  ]

  const ids: unknown[] = []
  for (let count = 0; count < 3; count++) ids.push((await node.result('wallet_sendCalls', bundle(calls))).id)
  expect(await node.result('eth_getTransactionCount', sender, 'pending')).toBe('0x6')
  await node.nextBlock()

  for (const id of ids) expect(await node.result('wallet_getCallsStatus', id)).toMatchObject({ status: 200 })
  expect(await node.result('eth_getBalance', SECOND)).toBe('0x6')
})

test('a bundle keeps its id through a restart', async () => {
  await node.stop()
  const directory = await mkdtemp(join(tmpdir(), 'tickertape-bundles-'))
  onTestFinished(() => rm(directory, { recursive: true, force: true }))
  node = await startRpcNode({ development: true }, { directory })
  const request = bundle([{ to: FIRST, value: '0x1' }], { id: 'mine' })
  await node.result('wallet_sendCalls', request)
  await node.nextBlock()
  const before = await node.result('wallet_getCallsStatus', 'mine')
  expect(before).toMatchObject({ status: 200 })
  await node.stop()

  node = await startRpcNode({ development: true }, { directory, clock: node.clock })

  expect(await node.result('wallet_getCallsStatus', 'mine')).toEqual(before)
  expect((await node.request('wallet_sendCalls', request)).error).toMatchObject({ code: 5720 })
})

test('a batch with a call that reverts is refused, and no call of it has an effect', async () => {
  const deployed = await node.result('eth_sendTransaction', { from: other, data: REVERTING })
  await node.nextBlock()
  const { contractAddress } = await node.result('eth_getTransactionReceipt', deployed)
  expect(await node.result('eth_getCode', contractAddress)).toBe('0x5f5ffd0000')

  const refused = await node.request('wallet_sendCalls', bundle([{ to: FIRST, value: '0x1' }, { to: contractAddress }]))

  expect(refused.error).toMatchObject({ code: 3 })
  expect(await node.result('eth_getBalance', FIRST, 'pending')).toBe('0x0')
})

test('the executor runs a batch only for the account itself', async () => {
  await node.result(
    'wallet_sendCalls',
    bundle([
      { to: FIRST, value: '0x1' },
      { to: SECOND, value: '0x1' },
    ]),
  )
  await node.nextBlock()
  const data = `0x${Buffer.from(encodeExecute([{ to: FIRST as never, value: 1n }])).toString('hex')}`

  expect((await node.request('eth_call', { from: other, to: sender, data })).error).toMatchObject({ code: 3 })
  expect((await node.request('eth_call', { from: sender, to: sender, data })).error).toBeUndefined()
})

test('a single call is a plain transaction', async () => {
  const { id } = await node.result('wallet_sendCalls', bundle([{ to: FIRST, value: '0x1' }]))
  await node.nextBlock()

  expect(await node.result('wallet_getCallsStatus', id)).toMatchObject({ status: 200 })
  expect(await node.result('eth_getCode', sender)).toBe('0x')
})

test('calls that cannot be atomic are sent in order, unless they have to be', async () => {
  await node.stop()
  node = await startRpcNode({ development: true }, { network: { fork: 'cancun' } })
  const calls = [
    { to: FIRST, value: '0x1' },
    { to: SECOND, value: '0x1' },
  ]
  expect(await node.result('wallet_getCapabilities', sender)).toEqual({
    '0x7a69': { atomic: { status: 'unsupported' } },
  })

  expect((await node.request('wallet_sendCalls', bundle(calls))).error).toMatchObject({ code: 5760 })
  const { id } = await node.result('wallet_sendCalls', bundle(calls, { atomicRequired: false }))
  await node.nextBlock()

  const status = await node.result('wallet_getCallsStatus', id)
  expect(status).toMatchObject({ status: 200, atomic: false })
  expect(status.receipts).toHaveLength(2)
})

test.each([
  [{ chainId: '0x1' }, 5710],
  [{ capabilities: { paymasterService: { url: 'https://pay.example' } } }, 5700],
  [{ from: FIRST }, 4100],
  [{ calls: [] }, -32602],
  [{ version: undefined }, -32602],
  [{ version: '1.0' }, -32602],
])('rejects a bundle with %j', async (change, code) => {
  const request = bundle([{ to: FIRST }], change)

  expect((await node.request('wallet_sendCalls', request)).error).toMatchObject({ code })
})

test('accepts optional capabilities, and refuses an id that is in use', async () => {
  const members = { id: 'mine', capabilities: { paymasterService: { optional: true } } }
  expect(await node.result('wallet_sendCalls', bundle([{ to: FIRST }], members))).toEqual({ id: 'mine' })

  expect((await node.request('wallet_sendCalls', bundle([{ to: FIRST }], members))).error).toMatchObject({ code: 5720 })
  expect((await node.request('wallet_getCallsStatus', 'other')).error).toMatchObject({ code: 5730 })
})

test('the second of two concurrent requests with one id is refused and sends nothing', async () => {
  const request = bundle([{ to: FIRST, value: '0x1' }], { id: 'mine' })
  const responses = await Promise.all([
    node.request('wallet_sendCalls', request),
    node.request('wallet_sendCalls', request),
  ])
  await node.nextBlock()

  expect(responses.map(({ error }) => error?.code).sort()).toEqual([5720, undefined])
  expect(await node.result('eth_getBalance', FIRST)).toBe('0x1')
})

test('an id can be used after a refusal, which leaves the state as it is', async () => {
  const calls = [{ to: FIRST }, { to: SECOND }]
  await node.result('anvil_setBalance', sender, '0x1')

  const refused = await node.request('wallet_sendCalls', bundle(calls, { id: 'mine' }))

  expect(refused.error).toMatchObject({ message: expect.stringMatching(/^insufficient funds/) })
  expect(await node.result('eth_getCode', BATCH_EXECUTOR_ADDRESS, 'pending')).toBe('0x')
  await node.result('anvil_setBalance', sender, '0xde0b6b3a7640000')
  expect(await node.result('wallet_sendCalls', bundle(calls, { id: 'mine' }))).toEqual({ id: 'mine' })
})

test('a bundle whose second call is refused has status 600 and the receipt of the first', async () => {
  await node.stop()
  node = await startRpcNode({ development: true }, { network: { fork: 'cancun' } })
  const calls = [
    { to: FIRST, value: '0x1' },
    { to: SECOND, value: `0x${'ff'.repeat(20)}` },
    { to: SECOND, value: '0x1' },
  ]

  const { id } = await node.result('wallet_sendCalls', bundle(calls, { atomicRequired: false }))
  await node.nextBlock()

  expect(await node.result('wallet_getCallsStatus', id)).toMatchObject({ status: 600, receipts: [{ status: '0x1' }] })
  expect(await node.result('eth_getBalance', SECOND)).toBe('0x0')
})

test('a call whose transaction reverts is reported as reverted', async () => {
  const deployed = await node.result('eth_sendTransaction', { from: other, data: REVERTING })
  await node.nextBlock()
  const { contractAddress } = await node.result('eth_getTransactionReceipt', deployed)
  await node.stop()
  node = await startRpcNode({ development: true, compat: 'anvil' })
  const again = await node.result('eth_sendTransaction', { from: other, data: REVERTING })
  await node.nextBlock()
  expect((await node.result('eth_getTransactionReceipt', again)).contractAddress).toBe(contractAddress)

  const { id } = await node.result('wallet_sendCalls', bundle([{ to: contractAddress }]))
  await node.nextBlock()

  expect(await node.result('wallet_getCallsStatus', id)).toMatchObject({ status: 500, receipts: [{ status: '0x0' }] })
})
