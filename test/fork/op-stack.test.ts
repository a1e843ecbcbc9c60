import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest'
import { createNode, type TickertapeNode } from '../../src/library/create-node.ts'
import type { NodeOptions } from '../../src/library/node-options.ts'
import { type RpcServer, startRpcServer } from '../support/rpc-server.ts'

const L1_FEE_VAULT = '0x420000000000000000000000000000000000001a'
const L1_BLOCK = '0x4200000000000000000000000000000000000015'
const STRANGER = '0x00000000000000000000000000000000000000aa'
/** number(), sequenceNumber() and baseFeeScalar() of L1Block. */
const READS = ['0x8381f58a', '0x64ca23ef', '0xc5985918']

interface Call {
  readonly id: number
  readonly method: string
  readonly params: readonly unknown[]
}

let origin: TickertapeNode
let upstream: RpcServer

/** A chain of the OP stack of which nothing but its blocks is known. */
beforeAll(async () => {
  origin = await createNode({
    profile: 'op',
    hardfork: 'jovian',
    chainId: 777,
    mining: 'auto',
    l1BaseFee: 3_000_000_000n,
  })
  await send(origin)
  const answer = async ({ id, method, params }: Call) => {
    const result = await origin.request({ method, params }).catch((error: Error & { code: number }) => ({ error }))
    return typeof result === 'object' && result !== null && 'error' in result
      ? { jsonrpc: '2.0', id, error: { code: -32_000, message: String(result.error) } }
      : { jsonrpc: '2.0', id, result }
  }
  upstream = await startRpcServer(async (body) => {
    const calls = JSON.parse(body) as Call | Call[]
    return JSON.stringify(Array.isArray(calls) ? await Promise.all(calls.map(answer)) : await answer(calls))
  })
})
afterAll(async () => {
  await upstream.close()
  await origin.close()
})

async function startFork(options: NodeOptions = {}): Promise<TickertapeNode> {
  const node = await createNode({ forkUrl: upstream.url, noForkCache: true, mining: 'auto', ...options })
  onTestFinished(() => node.close())
  return node
}

function call<T = unknown>(node: TickertapeNode, method: string, ...params: unknown[]): Promise<T> {
  return node.request({ method, params }) as Promise<T>
}

interface Receipt {
  readonly status: string
  readonly blockNumber: string
  readonly transactionIndex: string
  readonly l1Fee: string
}

async function send(node: TickertapeNode): Promise<Receipt> {
  const { address: from } = node.accounts[0]!
  const request = { from, to: STRANGER, value: '0x1', gas: '0x5208', maxFeePerGas: '0x3b9aca00', data: '0x' }
  const hash = await call(node, 'eth_sendTransaction', request)
  return call(node, 'eth_getTransactionReceipt', hash)
}

test('a fork of an OP-stack chain begins its blocks with the attributes that follow those of the fork block', async () => {
  const forkBlock = await call<string>(origin, 'eth_blockNumber')
  const before = await Promise.all(
    READS.map((data) => call<string>(origin, 'eth_call', { to: L1_BLOCK, data }, forkBlock)),
  )
  const node = await startFork({ forkBlockNumber: Number(forkBlock) })

  const { status, blockNumber, transactionIndex } = await send(node)

  expect({ status, transactionIndex }).toEqual({ status: '0x1', transactionIndex: '0x1' })
  const { transactions } = await call<{ transactions: { type: string; to: string }[] }>(
    node,
    'eth_getBlockByNumber',
    blockNumber,
    true,
  )
  expect(transactions[0]).toMatchObject({ type: '0x7e', to: L1_BLOCK })
  const after = await Promise.all(READS.map((data) => call<string>(node, 'eth_call', { to: L1_BLOCK, data }, 'latest')))
  expect([after[0], after[2]]).toEqual([before[0], before[2]])
  expect(BigInt(after[1]!)).toBe(BigInt(before[1]!) + 1n)
})

test('a reset to another block continues its layer 1 instead of that of the first fork block', async () => {
  const first = Number(await call<string>(origin, 'eth_blockNumber'))
  const { timestamp } = await call<{ timestamp: string }>(origin, 'eth_getBlockByNumber', 'latest', false)
  // The origin changes every 12 seconds.
  await call(origin, 'evm_setNextBlockTimestamp', `0x${(BigInt(timestamp) + 3_600n).toString(16)}`)
  await send(origin)
  await send(origin)
  const values = (of: TickertapeNode) =>
    Promise.all(READS.slice(0, 2).map((data) => call<string>(of, 'eth_call', { to: L1_BLOCK, data }, 'latest')))
  const [number, sequenceNumber] = await values(origin)
  const node = await startFork({ forkBlockNumber: first })
  await send(node)

  await call(node, 'anvil_reset', { forking: { blockNumber: Number(await call(origin, 'eth_blockNumber')) } })
  await send(node)

  const shown = await values(node)
  expect(shown[0]).toBe(number)
  expect(BigInt(shown[1]!)).toBe(BigInt(sequenceNumber!) + 1n)
})

test('a fork of an OP-stack chain takes the L1 fee of its chain, for the vault of its chain', async () => {
  const forkBlockNumber = Number(await call<string>(origin, 'eth_blockNumber'))
  const node = await startFork({ forkBlockNumber })
  const before = BigInt(await call<string>(node, 'eth_getBalance', L1_FEE_VAULT))

  const onFork = await send(node)
  const onOrigin = await send(origin)

  expect(BigInt(onFork.l1Fee)).toBeGreaterThan(0n)
  expect(onFork.l1Fee).toBe(onOrigin.l1Fee)
  expect(BigInt(await call<string>(node, 'eth_getBalance', L1_FEE_VAULT)) - before).toBe(BigInt(onFork.l1Fee))
})

test.each([[{}], [{ compat: 'anvil' as const }]])('forkStatus says which rules apply and why (%o)', async (options) => {
  const node = await startFork(options)

  expect(await call(node, 'tickertape_forkStatus')).toMatchObject({
    rules: { name: 'jovian', reason: expect.stringContaining('chain 777 is not known'), missing: null },
  })
})

test('--hardfork names other rules, and --no-system-transactions leaves out those of the OP stack', async () => {
  const karst = await startFork({ hardfork: 'karst' })
  const plain = await startFork({ systemTransactions: false })

  expect(await call(karst, 'tickertape_forkStatus')).toMatchObject({ rules: { name: 'karst' } })
  expect(await send(plain)).toMatchObject({ transactionIndex: '0x0', l1Fee: '0x0' })
})
