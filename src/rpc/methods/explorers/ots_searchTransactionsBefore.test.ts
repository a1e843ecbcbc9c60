import { afterAll, beforeAll, expect, test } from 'vitest'
import { type RpcNode, startRpcNode } from '../../../../test/support/rpc-node.ts'
import { CALLER, COUNTER, deployContracts, send } from '../../../../test/support/traced-contracts.ts'
import { DEVELOPMENT_ACCOUNTS } from '../../../chain/accounts/development-accounts.ts'

const SENDER = DEVELOPMENT_ACCOUNTS[0]!.address

interface Page {
  readonly txs: readonly { readonly blockNumber: string; readonly transactionIndex: string }[]
  readonly receipts: readonly Record<string, unknown>[]
  readonly firstPage: boolean
  readonly lastPage: boolean
}

let node: RpcNode
/** Blocks: 1 creates both; 2: caller, counter; 3 empty; 4: counter; 5: caller. */
beforeAll(async () => {
  node = await startRpcNode()
  await deployContracts(node)
  await send(node, 2n, CALLER)
  await send(node, 3n, COUNTER)
  await node.nextBlock()
  await node.nextBlock()
  await send(node, 4n, COUNTER)
  await node.nextBlock()
  await send(node, 5n, CALLER)
  await node.nextBlock()
})
afterAll(() => node.stop())

async function found(method: string, ...params: unknown[]) {
  const { txs, firstPage, lastPage } = (await node.result(method, ...params)) as unknown as Page
  const places = txs.map(({ blockNumber, transactionIndex }) => `${Number(blockNumber)}/${Number(transactionIndex)}`)
  return [places.join(' '), firstPage, lastPage]
}

test.each([
  [
    'everything with a large page, inner calls and the creation included',
    [COUNTER, 0, 25],
    ['5/0 4/0 2/1 2/0 1/0', true, true],
  ],
  ['whole blocks, newest first, until the page is full', [COUNTER, 0, 3], ['5/0 4/0 2/1 2/0', true, false]],
  ['what is older than a block', [COUNTER, 4, 1], ['2/1 2/0', false, false]],
  ['the oldest page', [COUNTER, 2, 10], ['1/0', false, true]],
  ['transactions of a sender', [SENDER, '0x2', '0xa'], ['1/1 1/0', false, true]],
  ['nothing for a stranger', [`0x${'99'.repeat(20)}`, 0, 5], ['', true, true]],
  ['the newest page for a block above the chain', [CALLER, 99, 1], ['5/0', true, false]],
])('ots_searchTransactionsBefore returns %s', async (_, params, expected) => {
  expect(await found('ots_searchTransactionsBefore', ...params)).toEqual(expected)
})

test.each([
  ['everything from the first block', [COUNTER, 0, 25], ['5/0 4/0 2/1 2/0 1/0', true, true]],
  ['the oldest page, newest first', [COUNTER, 0, 2], ['2/1 2/0 1/0', false, true]],
  ['what is newer than a block', [COUNTER, 2, 1], ['4/0', false, false]],
  ['the newest page', [COUNTER, 4, 5], ['5/0', true, false]],
  ['nothing above the chain', [COUNTER, 99, 5], ['', true, false]],
])('ots_searchTransactionsAfter returns %s', async (_, params, expected) => {
  expect(await found('ots_searchTransactionsAfter', ...params)).toEqual(expected)
})

test('receipts are those of the transactions, with the time of their block', async () => {
  const { txs, receipts } = (await node.result('ots_searchTransactionsBefore', CALLER, 0, 1)) as unknown as Page
  const [transaction] = txs as unknown as { hash: string; blockHash: string }[]

  const { timestamp } = await node.result('eth_getBlockByHash', transaction!.blockHash, false)
  expect(transaction).toEqual(await node.result('eth_getTransactionByHash', transaction!.hash))
  expect(receipts).toEqual([{ ...(await node.result('eth_getTransactionReceipt', transaction!.hash)), timestamp }])
})

test('says how far it came when the time is up', async () => {
  const impatient = await startRpcNode({ maxTraceTimeoutMs: -1 })
  await impatient.nextBlock()

  expect((await impatient.request('ots_searchTransactionsBefore', COUNTER, 0, 5)).error).toEqual({
    code: -32000,
    message: 'execution timeout: the search reached block 1; with --address-index blocks need not be replayed',
  })
  await impatient.stop()
})

test.each(['ots_searchTransactionsBefore', 'ots_searchTransactionsAfter'])('%s limits the page', async (method) => {
  expect((await node.request(method, COUNTER, 0, 1_001)).error).toEqual({
    code: -32602,
    message: 'a page of 1001 transactions, want at most 1000',
  })
})
