import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, onTestFinished, test } from 'vitest'
import { createNode, type TickertapeNode } from '../../src/library/create-node.ts'
import type { NodeOptions } from '../../src/library/node-options.ts'
import { FOREIGN_HEIGHT, type ForeignChain, foreignObjects, startForeignNode } from '../support/foreign-chain.ts'

const HASH = `0x${'12'.repeat(32)}`
const AMSTERDAM = {
  withdrawalsRoot: HASH,
  blobGasUsed: '0x0',
  excessBlobGas: '0x0',
  parentBeaconBlockRoot: HASH,
  requestsHash: HASH,
  withdrawals: [],
  blockAccessListHash: HASH,
  slotNumber: '0x989680',
}

/** Chains of which something is known to their own nodes only. */
const CHAINS: readonly (readonly [string, ForeignChain])[] = [
  ['Sepolia after Glamsterdam', { chainId: '0xaa36a7', header: AMSTERDAM }],
  [
    'Arbitrum',
    {
      chainId: '0xa4b1',
      header: { l1BlockNumber: '0x1', sendCount: '0x1', sendRoot: HASH },
      transaction: { type: '0x6a' },
      receipt: { gasUsedForL1: '0x0', l1BlockNumber: '0x1', timeboosted: false },
    },
  ],
  [
    'Celo',
    {
      chainId: '0xa4ec',
      header: { randomness: { committed: HASH } },
      transaction: { type: '0x7b', feeCurrency: HASH },
    },
  ],
  [
    'zkSync Era',
    {
      chainId: '0x144',
      header: { l1BatchNumber: '0x1', l1BatchTimestamp: null, sealFields: [] },
      transaction: { type: '0x71', l1BatchNumber: '0x1' },
      receipt: { l2ToL1Logs: [], root: HASH },
      log: { logType: null, transactionLogIndex: '0x0' },
    },
  ],
  ['Avalanche', { chainId: '0xa86a', header: { extDataHash: HASH, extDataGasUsed: '0x0', blockGasCost: '0x0' } }],
  ['Moonbeam', { chainId: '0x504', header: { author: `0x${'11'.repeat(20)}` } }],
  ['Filecoin', { chainId: '0x13a' }],
  ['Hedera', { chainId: '0x127', header: { withdrawals: [], withdrawalsRoot: HASH } }],
  ['a chain with members of later forks alone', { chainId: '0x7a69', header: { blobGasUsed: '0x0', own: true } }],
]

async function startFork(url: string, options: NodeOptions = {}): Promise<TickertapeNode> {
  const node = await createNode({ forkUrl: url, noForkCache: true, mining: 'auto', ...options })
  onTestFinished(() => node.close())
  return node
}

async function startUpstream(chain: ForeignChain): Promise<string> {
  const server = await startForeignNode(chain)
  onTestFinished(() => server.close())
  return server.url
}

function call(node: TickertapeNode, method: string, ...params: unknown[]): Promise<unknown> {
  return node.request({ method, params })
}

const NUMBER = `0x${FOREIGN_HEIGHT.toString(16)}`

/** What clients read of the fork block. */
async function shownBy(node: TickertapeNode, chain: ForeignChain) {
  const { transaction, block } = foreignObjects(chain)
  return {
    block: await call(node, 'eth_getBlockByNumber', NUMBER, true),
    byHash: await call(node, 'eth_getBlockByHash', block.hash, false),
    header: await call(node, 'eth_getHeaderByNumber', NUMBER),
    transaction: await call(node, 'eth_getTransactionByHash', transaction.hash),
    atIndex: await call(node, 'eth_getTransactionByBlockNumberAndIndex', NUMBER, '0x0'),
    receipt: await call(node, 'eth_getTransactionReceipt', transaction.hash),
    receipts: await call(node, 'eth_getBlockReceipts', NUMBER),
    logs: await call(node, 'eth_getLogs', { fromBlock: NUMBER, toBlock: NUMBER }),
  }
}

function withoutNulls(record: object) {
  return Object.fromEntries(Object.entries(record).filter(([, value]) => value !== null))
}

function expected(chain: ForeignChain) {
  const { block, transaction, receipt, log } = foreignObjects(chain)
  const { size: _, totalDifficulty: __, uncles: ___, withdrawals: ____, ...header } = withoutNulls(block)
  const one = expect.objectContaining(withoutNulls(transaction))
  const ofReceipt = expect.objectContaining(receipt)
  return {
    block: expect.objectContaining({ ...withoutNulls(block), transactions: [one] }),
    byHash: expect.objectContaining({ ...withoutNulls(block), transactions: [transaction.hash] }),
    header: expect.objectContaining(header),
    transaction: one,
    atIndex: one,
    receipt: ofReceipt,
    receipts: [ofReceipt],
    logs: [expect.objectContaining(withoutNulls(log))],
  }
}

describe.each(CHAINS)('a fork of %s', (_, chain) => {
  test('shows block, transaction, receipt and logs as the upstream gave them', async () => {
    const node = await startFork(await startUpstream(chain))

    expect(await shownBy(node, chain)).toEqual(expected(chain))
  })

  test('sends, estimates, traces calls and gives the fee history', async () => {
    const node = await startFork(await startUpstream(chain))
    const [from, to] = (await call(node, 'eth_accounts')) as string[]

    expect(await call(node, 'eth_estimateGas', { from, to, value: '0x1' })).toBe('0x5208')
    const hash = await call(node, 'eth_sendTransaction', { from, to, value: '0x1' })
    expect(await call(node, 'eth_getTransactionReceipt', hash)).toMatchObject({ status: '0x1', blockNumber: '0x65' })
    expect(await call(node, 'debug_traceTransaction', hash)).toMatchObject({ failed: false })
    expect(await call(node, 'debug_traceCall', { from, to }, NUMBER, {})).toMatchObject({ failed: false })
    expect(await call(node, 'eth_feeHistory', '0x2', 'latest', [50])).toMatchObject({ oldestBlock: NUMBER })
    const { parentHash } = (await call(node, 'eth_getBlockByNumber', '0x65', false)) as { parentHash: string }
    expect(parentHash).toBe(foreignObjects(chain).block.hash)
  })

  test('says what it trusts', async () => {
    const node = await startFork(await startUpstream(chain))
    await shownBy(node, chain)

    const { verification } = (await call(node, 'tickertape_forkStatus')) as { verification: object }

    expect(verification).toMatchObject({
      mode: 'known',
      verified: [],
      trusted: ['logs', 'state', 'headers', 'transactions', 'receipts'],
    })
  })

  test('refuses its block with --fork-verify strict', async () => {
    const node = await startFork(await startUpstream(chain), { forkVerify: 'strict' })

    await expect(call(node, 'eth_getBlockByNumber', NUMBER, true)).rejects.toThrow('--fork-verify known')
  })

  test('shows the same without the upstream, from the cache', async () => {
    const forkCachePath = mkdtempSync(join(tmpdir(), 'foreign-'))
    onTestFinished(() => rmSync(forkCachePath, { recursive: true }))
    const cached = { forkCachePath, noForkCache: false }
    const url = await startUpstream(chain)
    const first = await startFork(url, cached)
    const shown = await shownBy(first, chain)
    await first.close()

    const forkUrl = 'http://127.0.0.1:9'
    const offline = await startFork(forkUrl, { ...cached, forkOffline: true, forkBlockNumber: FOREIGN_HEIGHT })

    expect(await shownBy(offline, chain)).toEqual(shown)
  })
})

test('names what only the upstream knows', async () => {
  const [, arbitrum] = CHAINS[1]!
  const node = await startFork(await startUpstream(arbitrum))
  await shownBy(node, arbitrum)

  expect(await call(node, 'tickertape_forkStatus')).toMatchObject({
    verification: {
      foreign: {
        headerMembers: ['l1BlockNumber', 'sendCount', 'sendRoot'],
        transactionTypes: ['0x6a'],
        receiptMembers: ['gasUsedForL1', 'l1BlockNumber', 'timeboosted'],
      },
    },
  })
})

test('traces of a transaction that only its own chain can execute are refused by name', async () => {
  const [, arbitrum] = CHAINS[1]!
  const { hash } = foreignObjects(arbitrum).transaction
  const node = await startFork(await startUpstream(arbitrum))

  await expect(call(node, 'debug_traceTransaction', hash)).rejects.toThrow(/which only its own chain can execute/)
})

test.each([
  ['of a header without other members', {}],
  ['of a header whose other members are null', { header: { l1BlockNumber: null } }],
])('a wrong hash %s is an error', async (_, chain) => {
  const url = await startUpstream({ chainId: '0x1', ...chain })

  await expect(startFork(url)).rejects.toThrow('its members do not give the hash')
})
