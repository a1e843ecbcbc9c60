import { afterAll, beforeAll, expect, test } from 'vitest'
import { type RpcNode, startRpcNode } from '../../../../test/support/rpc-node.ts'
import { CALLER, COUNTER, deployContracts, send } from '../../../../test/support/traced-contracts.ts'
import { DEVELOPMENT_ACCOUNTS } from '../../../chain/accounts/development-accounts.ts'

const SENDER = DEVELOPMENT_ACCOUNTS[0]!.address

interface Frame {
  readonly blockNumber: number
  readonly transactionPosition: number
  readonly traceAddress: readonly number[]
}

let node: RpcNode
beforeAll(async () => {
  node = await startRpcNode()
  await deployContracts(node)
  await send(node, 2n, CALLER)
  await send(node, 3n, COUNTER)
  await node.nextBlock()
  await node.nextBlock()
  await send(node, 4n, CALLER)
  await node.nextFlashblock()
})
afterAll(() => node.stop())

/** Block, transaction and path of each frame. */
async function found(filter: object) {
  const frames = (await node.result('trace_filter', filter)) as unknown as Frame[]
  return frames.map(({ blockNumber, transactionPosition, traceAddress }) =>
    [blockNumber, transactionPosition, ...traceAddress].join('/'),
  )
}

test.each([
  ['without addresses all frames of sealed blocks', {}, ['1/0', '1/1', '2/0', '2/0/0', '2/1']],
  ['those of the open block with pending', { fromBlock: '0x3', toBlock: 'pending' }, ['4/0', '4/0/0']],
  ['calls of and creations at an address', { toAddress: [COUNTER] }, ['1/0', '2/0/0', '2/1']],
  ['calls by an address', { fromAddress: [CALLER] }, ['2/0/0']],
  ['those with a sender or a recipient', { fromAddress: [CALLER], toAddress: [CALLER] }, ['1/1', '2/0', '2/0/0']],
  [
    'those with both when asked for the intersection',
    { fromAddress: [SENDER], toAddress: [COUNTER], mode: 'intersection' },
    ['1/0', '2/1'],
  ],
  ['a page of them', { after: 1, count: 2 }, ['1/1', '2/0']],
  ['a page given in hex', { after: '0x3', count: '0xa' }, ['2/0/0', '2/1']],
  ['nothing for a count of 0', { fromBlock: '0x2', toBlock: '0x3', count: 0 }, []],
])('returns %s', async (_, filter, expected) => {
  expect(await found(filter)).toEqual(expected)
})

test('rejects a range beyond the head, whose blocks a client would take for empty ones', async () => {
  expect((await node.request('trace_filter', { fromBlock: '0x2', toBlock: '0x99' })).error).toEqual({
    code: -32602,
    message: 'block range extends beyond current head block',
  })
})

test('rejects a range that ends before it starts', async () => {
  expect((await node.request('trace_filter', { fromBlock: '0x2', toBlock: '0x1' })).error).toEqual({
    code: -32602,
    message: 'invalid block range params: fromBlock is after toBlock',
  })
})

test('says how far it came when the time is up', async () => {
  const impatient = await startRpcNode({ maxTraceTimeoutMs: -1 })
  await impatient.nextBlock()

  expect((await impatient.request('trace_filter', {})).error).toEqual({
    code: -32000,
    message: 'execution timeout: the search reached block 0; ask for fewer blocks at once',
  })
  await impatient.stop()
})
