import { afterAll, beforeAll, expect, test } from 'vitest'
import { type RpcNode, startRpcNode } from '../../../../test/support/rpc-node.ts'
import { CALLER, COUNTER, deployContracts, send } from '../../../../test/support/traced-contracts.ts'
import { DEVELOPMENT_ACCOUNTS } from '../../../chain/accounts/development-accounts.ts'

const SENDER = DEVELOPMENT_ACCOUNTS[0]!.address

let node: RpcNode
let hashes: readonly string[]
beforeAll(async () => {
  node = await startRpcNode()
  await deployContracts(node)
  hashes = await Promise.all([
    send(node, 2n, CALLER, new Uint8Array([1, 2, 3, 4, 5])),
    send(node, 3n, COUNTER),
    send(node, 4n, CALLER),
  ])
  await node.nextBlock()
  await send(node, 5n, COUNTER)
  await node.nextFlashblock()
})
afterAll(() => node.stop())

test.each([2, '0x2', 'latest'])(
  'ots_getBlockDetails(%j) has the header members and the fees paid',
  async (reference) => {
    const { transactions, ...block } = await node.result('eth_getBlockByNumber', '0x2', false)
    const receipts = (await node.result('eth_getBlockReceipts', '0x2')) as unknown as Record<string, string>[]
    const fees = receipts.map(({ gasUsed, effectiveGasPrice }) => BigInt(gasUsed!) * BigInt(effectiveGasPrice!))

    const details = await node.result('ots_getBlockDetails', reference)

    expect(details).toEqual({
      block: { ...block, totalDifficulty: '0x0', transactionCount: (transactions as []).length },
      issuance: { blockReward: '0x0', uncleReward: '0x0', issuance: '0x0' },
      totalFees: `0x${fees.reduce((sum, fee) => sum + fee, 0n).toString(16)}`,
    })
    expect(await node.result('ots_getBlockDetailsByHash', block.hash)).toEqual(details)
  },
)

test('an unknown block is an error', async () => {
  for (const request of [
    ['ots_getBlockDetails', 99],
    ['ots_getBlockDetailsByHash', `0x${'11'.repeat(32)}`],
    ['ots_getBlockTransactions', 99, 0, 5],
  ] as const) {
    const [method, ...params] = request
    expect((await node.request(method, ...params)).error).toEqual({ code: -32001, message: 'Resource not found' })
  }
})

test('ots_getBlockTransactions pages through the transactions, with selectors and receipts without logs', async () => {
  const page = async (number: number, size: number) => {
    const { fullblock, receipts } = (await node.result('ots_getBlockTransactions', 2, number, size)) as unknown as {
      fullblock: { transactionCount: number; transactions: { hash: string; input: string }[] }
      receipts: { transactionHash: string; logs: unknown[]; timestamp: string }[]
    }
    expect(fullblock.transactionCount).toBe(3)
    expect(receipts.map(({ transactionHash }) => transactionHash)).toEqual(
      fullblock.transactions.map(({ hash }) => hash),
    )
    expect(receipts.every(({ logs }) => logs.length === 0)).toBe(true)
    return fullblock.transactions
  }

  expect((await page(0, 2)).map(({ hash, input }) => [hash, input])).toEqual([
    [hashes[0], '0x01020304'],
    [hashes[1], '0x'],
  ])
  expect((await page(1, 2)).map(({ hash }) => hash)).toEqual([hashes[2]])
  expect(await page(2, 2)).toEqual([])
})

test('ots_getTransactionBySenderAndNonce finds sealed and pre-confirmed transactions', async () => {
  for (const [index, hash] of hashes.entries()) {
    expect(await node.result('ots_getTransactionBySenderAndNonce', SENDER, 2 + index)).toBe(hash)
  }
  expect(await node.result('ots_getTransactionBySenderAndNonce', SENDER, '0x5')).toMatch(/^0x/)
  expect(await node.result('ots_getTransactionBySenderAndNonce', SENDER, 6)).toBeNull()
  expect(await node.result('ots_getTransactionBySenderAndNonce', COUNTER, 0)).toBeNull()
})

test('erigon_getHeaderByNumber is the block object with hashes', async () => {
  expect(await node.result('erigon_getHeaderByNumber', 2)).toEqual(
    await node.result('eth_getBlockByNumber', '0x2', false),
  )
})
