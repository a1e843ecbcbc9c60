import { beforeEach, expect, test } from 'vitest'
import { type RpcNode, startRpcNode } from '../../../test/support/rpc-node.ts'
import { signTransfer } from '../../../test/support/transfers.ts'
import { DEVELOPMENT_ACCOUNTS } from '../../chain/accounts/development-accounts.ts'
import { bytesToHex } from '../../primitives/hex.ts'

const RICH = DEVELOPMENT_ACCOUNTS[0]!.address
const POOR = `0x${'0a'.repeat(20)}`
const POORER = `0x${'0b'.repeat(20)}`
/** Reverts with `Error("nope")`. */
const REVERT =
  '0x7f08c379a000000000000000000000000000000000000000000000000000000000600052' +
  '60206004526004602452' +
  '7f6e6f706500000000000000000000000000000000000000000000000000000000604452' +
  '60646000fd'

type Simulated = { readonly [member: string]: unknown; readonly calls: Record<string, unknown>[] }[]

let node: RpcNode
beforeEach(async () => {
  node = await startRpcNode()
})
async function simulated(payload: object, ...block: unknown[]): Promise<Simulated> {
  return (await node.result('eth_simulateV1', payload, ...block)) as unknown as Simulated
}

test('dependent blocks on pending continue from the pre-confirmed state', async () => {
  const transfer = signTransfer({ nonce: 0n, to: DEVELOPMENT_ACCOUNTS[1]!.address, value: 3n })
  await node.result('eth_sendRawTransaction', bytesToHex(transfer.raw))
  await node.nextFlashblock()
  const pending = await node.result('eth_getBlockByNumber', 'pending', false)
  const blocks = await simulated(
    {
      blockStateCalls: [
        { calls: [{ from: RICH, to: POOR, value: '0x5' }] },
        { calls: [{ from: POOR, to: POORER, value: '0x4' }] },
      ],
      traceTransfers: true,
    },
    'pending',
  )
  expect(blocks).toMatchObject([
    { number: '0x2', parentHash: pending.hash, stateRoot: `0x${'0'.repeat(64)}`, calls: [{ status: '0x1' }] },
    { number: '0x3', parentHash: blocks[0]!.hash, calls: [{ status: '0x1', gasUsed: '0x5208', returnData: '0x' }] },
  ])
  expect(blocks[0]!.calls[0]!.logs).toMatchObject([{ address: `0x${'ee'.repeat(20)}`, blockHash: blocks[0]!.hash }])
})

test('reports the error of a failed call as its reason in dialect base, as an object in dialect ethereum', async () => {
  const payload = {
    blockStateCalls: [{ stateOverrides: { [POOR]: { code: REVERT } }, calls: [{ to: POOR }] }],
  }
  const [block] = await simulated(payload, 'latest')
  expect(block!.calls[0]).toMatchObject({ status: '0x0', error: 'nope', logs: [] })
  const other = await startRpcNode({ dialect: 'ethereum' })
  const [theirs] = (await other.result('eth_simulateV1', payload)) as unknown as Simulated
  const data = block!.calls[0]!.returnData
  expect(theirs!.calls[0]!.error).toEqual({ code: 3, message: 'execution reverted: nope', data })
  expect(theirs!.stateRoot).not.toBe(`0x${'0'.repeat(64)}`)
  await other.stop()
})

test('returns full transactions on request', async () => {
  const payload = {
    blockStateCalls: [{ calls: [{ from: RICH, to: POOR, value: '0x1' }] }],
    returnFullTransactions: true,
  }
  const [block] = await simulated(payload, 'pending')
  expect(block!.transactions).toMatchObject([{ from: RICH, to: POOR, blockHash: block!.hash, r: '0x0', v: '0x0' }])
})

test.each([
  [{ blockStateCalls: [] }, -32602],
  [{}, -32602],
  // 2^53: truncated to the largest height, it would be the number of another block.
  [{ blockStateCalls: [{ blockOverrides: { number: '0x20000000000000' } }] }, -32602],
  [{ blockStateCalls: [{ calls: [{ from: POOR, to: RICH, value: '0x1' }] }] }, -38014],
  [{ blockStateCalls: [{ blockOverrides: { number: '0x0' } }] }, -38020],
  [{ blockStateCalls: [{ blockOverrides: { time: '0x1' } }] }, -38021],
  [{ blockStateCalls: [{ calls: [{ from: RICH, nonce: '0x5' }] }], validation: true }, -38011],
  [
    {
      blockStateCalls: [
        {
          stateOverrides: { [POOR]: { code: '0x00', balance: '0xde0b6b3a7640000' } },
          calls: [{ from: POOR, to: RICH, gas: '0x5208', maxFeePerGas: '0x3b9aca00' }],
        },
      ],
      validation: true,
    },
    -38024,
  ],
  [{ blockStateCalls: [{ stateOverrides: { [POOR]: { movePrecompileToAddress: POORER } } }] }, -32000],
  [{ blockStateCalls: [{ blockOverrides: { number: '0xffff' } }] }, -38026],
])('rejects %j with %i', async (payload, code) => {
  expect((await node.request('eth_simulateV1', payload, 'latest')).error?.code).toBe(code)
  expect(node.logged).toEqual([])
})

test('enforces the time limit for blocks without calls', async () => {
  const shortTimeouts = await startRpcNode({ callTimeoutMs: -1 })
  const { error } = await shortTimeouts.request('eth_simulateV1', { blockStateCalls: [{}, {}] }, 'latest')
  expect(error?.code).toBe(-32016)
  await shortTimeouts.stop()
})

/** Calls POORER, which may fail, then emits a log without topics. */
const FORWARD_AND_LOG = `0x5f5f5f5f5f73${POORER.slice(2)}5af1505f5fa000`
/** Emits a log, then reverts. */
const LOG_AND_REVERT = '0x5f5fa05f5ffd'

test.each([
  ['base', ['0x0', '0x1']],
  ['ethereum', ['0x1', '0x3']],
] as const)('sets log indexes in dialect %s to %o', async (dialect, indexes) => {
  await node.stop()
  node = await startRpcNode({ dialect })
  const [block] = await simulated({
    blockStateCalls: [
      {
        stateOverrides: { [POOR]: { code: FORWARD_AND_LOG }, [POORER]: { code: LOG_AND_REVERT } },
        calls: [{ to: POOR }, { to: POOR }],
      },
    ],
  })
  const logs = block!.calls.flatMap((call) => call.logs as { readonly logIndex: string }[])
  expect(logs.map(({ logIndex }) => logIndex)).toEqual(indexes)
})

test.each([
  ['base', (data: string) => ({ returnData: data, error: 'nope' })],
  ['ethereum', (data: string) => ({ returnData: '0x', error: { code: 3, message: 'execution reverted: nope', data } })],
] as const)('reports a reverted call in dialect %s', async (dialect, expected) => {
  await node.stop()
  node = await startRpcNode({ dialect })
  const stateOverrides = { [POOR]: { code: REVERT } }
  const [block] = await simulated({ blockStateCalls: [{ stateOverrides, calls: [{ to: POOR }] }] })
  const data = (await node.request('eth_call', { to: POOR }, 'latest', stateOverrides)).error!.data as string
  expect(block!.calls[0]).toMatchObject(expected(data))
})

test("uses go-ethereum's general code in dialect ethereum for an error without a code of its own", async () => {
  const last = '0xffffffffffffffff'
  const payload = {
    validation: true,
    blockStateCalls: [
      {
        blockOverrides: { baseFeePerGas: '0x0' },
        stateOverrides: { [POOR]: { nonce: last } },
        calls: [{ from: POOR, to: POORER, nonce: last }],
      },
    ],
  }
  expect((await node.request('eth_simulateV1', payload)).error?.code).toBe(-32000)
  await node.stop()
  node = await startRpcNode({ dialect: 'ethereum' })
  expect((await node.request('eth_simulateV1', payload)).error).toMatchObject({
    code: -32603,
    message: expect.stringContaining('nonce has max value'),
  })
})

test('a simulated block has the given beacon root', async () => {
  const beaconRoot = `0x${'77'.repeat(32)}`
  const blocks = await simulated({ blockStateCalls: [{ blockOverrides: { beaconRoot } }, {}] })
  expect(blocks.map(({ parentBeaconBlockRoot }) => parentBeaconBlockRoot)).toEqual([beaconRoot, `0x${'00'.repeat(32)}`])
})
