import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pino } from 'pino'
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest'
import { DEVELOPMENT_ACCOUNTS } from '../../src/chain/accounts/development-accounts.ts'
import { createNode, type TickertapeNode } from '../../src/library/create-node.ts'
import type { NodeOptions } from '../../src/library/node-options.ts'
import { MANUAL } from '../../src/node/development/mining-mode.ts'
import { PENDING } from '../../src/node/view/block-reference.ts'
import type { Address } from '../../src/primitives/hex.ts'
import { COUNTER, type ForkedNode, openTestFork, startForkedNode, startNodeOn } from '../support/forked-node.ts'
import { startRpcServer } from '../support/rpc-server.ts'
import { signTransfer } from '../support/transfers.ts'
import type { Fault } from '../support/unreliable-upstream.ts'

const FIRST = 2
const OTHER = 4
const SENDER = DEVELOPMENT_ACCOUNTS[0]!.address
const STRANGER = '0x00000000000000000000000000000000000000aa' as Address
const UNKNOWN = '0x00000000000000000000000000000000000000bb' as Address

let upstream: ForkedNode
beforeAll(async () => {
  upstream = await startForkedNode()
})
afterAll(() => upstream.close())

async function start(options: NodeOptions = {}): Promise<TickertapeNode> {
  upstream.proxy.faults = []
  const node = await createNode({
    forkUrl: upstream.proxy.url,
    forkBlockNumber: FIRST,
    noForkCache: true,
    mining: 'auto',
    ...options,
  })
  onTestFinished(() => node.close())
  return node
}

function call<Result = unknown>(node: TickertapeNode, method: string, ...params: unknown[]): Promise<Result> {
  return node.request({ method, params }) as Promise<Result>
}

/** Value of the counter on the original, and the hash, after a block. */
async function original(number: number) {
  const tag = `0x${number.toString(16)}`
  const counted = await upstream.node.result('eth_getStorageAt', COUNTER, '0x0', tag)
  const { hash } = (await upstream.node.result('eth_getBlockByNumber', tag, false)) as { hash: string }
  return { counted, hash }
}

async function shown(node: TickertapeNode) {
  const { number, hash } = await call<{ number: string; hash: string }>(node, 'eth_getBlockByNumber', 'latest', false)
  return { number: Number(number), hash, counted: await call(node, 'eth_getStorageAt', COUNTER, '0x0', 'latest') }
}

async function send(node: TickertapeNode) {
  const hash = await call<string>(node, 'eth_sendTransaction', { from: SENDER, to: STRANGER, value: '0x1' })
  return call<{ status: string; blockNumber: string }>(node, 'eth_getTransactionReceipt', hash)
}

test.each(['auto', 'flashblocks'] as const)(
  'a reset to a later and an earlier block shows their state (%s)',
  async (mining) => {
    const node = await start({ mining })
    if (mining === 'auto') await send(node)

    for (const number of [OTHER, FIRST - 1]) {
      await call(node, 'anvil_reset', { forking: { blockNumber: number } })
      expect(await shown(node)).toEqual({ number, ...(await original(number)) })
      await call(node, 'evm_setAutomine', true)
      expect(await send(node)).toMatchObject({ status: '0x1', blockNumber: `0x${(number + 1).toString(16)}` })
      expect(await call(node, 'eth_getBalance', STRANGER, 'latest')).toBe('0x1')
      expect(await call(node, 'tickertape_forkStatus')).toMatchObject({ blockNumber: `0x${number.toString(16)}` })
    }
  },
)

test('the typed reset begins on another block', async () => {
  const node = await start()

  await node.reset({ forking: { blockNumber: OTHER } })
  expect((await shown(node)).number).toBe(OTHER)
  await node.reset({ forking: { jsonRpcUrl: upstream.url, blockNumber: BigInt(FIRST) } })

  expect((await shown(node)).number).toBe(FIRST)
})

test('a reset without options afterwards returns to the block of the last reset', async () => {
  const node = await start()
  await call(node, 'anvil_reset', { forking: { blockNumber: OTHER } })
  await send(node)

  await call(node, 'anvil_reset')

  expect(await shown(node)).toEqual({ number: OTHER, ...(await original(OTHER)) })
  expect(BigInt(await call<string>(node, 'eth_getBalance', SENDER, 'latest'))).toBe(10_000n * 10n ** 18n)
})

test('a started gas report keeps calls of contracts of the forked node over resets to other blocks', async () => {
  const node = await start()
  await call(node, 'tickertape_startReport')
  const increment = () => call(node, 'eth_sendTransaction', { from: SENDER, to: COUNTER, gas: '0xf4240' })
  const calls = async () => {
    const report = await call<{
      readonly incomplete?: string
      readonly contracts: readonly { readonly functions: readonly { readonly calls: number }[] }[]
    }>(node, 'tickertape_gasReport')
    expect(report.incomplete).toBeUndefined()
    return report.contracts.flatMap(({ functions }) => functions.map((called) => called.calls))
  }

  for (const number of [OTHER, FIRST - 1, FIRST]) {
    await increment()
    await call(node, 'anvil_reset', { forking: { blockNumber: number } })
  }
  await increment()
  await call(node, 'anvil_reset')
  await increment()

  expect(await calls()).toEqual([5])
})

test('a reset to a URL without a block begins on its newest block, as viem asks with null', async () => {
  const node = await start()
  const newest = Number(await upstream.node.result('eth_blockNumber'))

  await call(node, 'hardhat_reset', { forking: { jsonRpcUrl: upstream.url, blockNumber: null } })

  expect((await shown(node)).number).toBe(newest)
  expect(await call(node, 'tickertape_forkStatus')).toMatchObject({ upstream: upstream.url.slice(0, -1) })
})

test('a reset with pooled transactions of unknown senders empties the pool', async () => {
  const node = await start({ mining: 'manual' })
  await call(node, 'anvil_setBalance', STRANGER, '0xde0b6b3a7640000')
  await call(node, 'anvil_impersonateAccount', STRANGER)
  await call(node, 'eth_sendTransaction', { from: STRANGER, to: SENDER, value: '0x1' })

  await call(node, 'anvil_reset', { forking: { blockNumber: OTHER } })
  await node.mine()

  expect(await call(node, 'txpool_status')).toMatchObject({ pending: '0x0', queued: '0x0' })
  expect((await shown(node)).number).toBe(OTHER + 1)
})

test.each<[string, Fault[], string, object]>([
  ['a block that does not exist', [], 'has no block 999', { blockNumber: 999 }],
  ['another chain', ['wrongChain'], 'is of chain 1, not of chain 31337', { blockNumber: OTHER }],
  ['text', [], 'forking.blockNumber: ', { blockNumber: 'four' }],
  ['a path', [], 'http:// or https://', { jsonRpcUrl: '/tmp/node' }],
])('a reset to %s is refused and changes nothing', async (_, faults, message, forking) => {
  const node = await start()
  await send(node)
  const before = await shown(node)
  upstream.proxy.faults = faults

  await expect(call(node, 'anvil_reset', { forking })).rejects.toThrow(message)

  expect(await shown(node)).toEqual(before)
})

test('a reset to another block continues with its gas limit and fee recipient', async () => {
  const node = await start()
  const number = Number(await upstream.node.result('eth_blockNumber'))
  await call(node, 'evm_setBlockGasLimit', '0x1c9c380')
  await call(node, 'anvil_setCoinbase', STRANGER)

  await call(node, 'anvil_reset', { forking: { blockNumber: number } })
  await node.mine()

  const { gasLimit, miner } = await upstream.node.result('eth_getBlockByNumber', 'latest', false)
  expect(await call(node, 'eth_getBlockByNumber', 'latest', false)).toMatchObject({ gasLimit, miner })
})

test('a state change that arrives during a reset follows it', async () => {
  const onBlock = (blockNumber: number) => openTestFork(upstream.url, { blockNumber })
  const { node } = await startNodeOn(await onBlock(FIRST), { development: { mining: MANUAL } })
  onTestFinished(() => node.stop())
  const { snapshots, state } = node.development!
  let change: Promise<void> | undefined
  // No block is open at this moment.
  node.events.once('unwound', () => {
    change = state.setBalance(STRANGER, 7n)
  })

  await snapshots.resetOnto(await onBlock(OTHER), 'chain')
  await change

  expect(node.view().state(PENDING)!.account(STRANGER)!.balance).toBe(7n)
})

const SILENT = pino({ level: 'silent' })

test('a transaction that arrives during a reset leaves the pool if its sender is unknown there', async () => {
  const onBlock = (blockNumber: number) => openTestFork(upstream.proxy.url, { blockNumber })
  upstream.proxy.faults = []
  const { node } = await startNodeOn(await onBlock(FIRST), { development: { mining: MANUAL }, log: SILENT })
  onTestFinished(() => node.stop())
  await node.development!.state.setBalance(UNKNOWN, 10n ** 18n)
  const { raw, hash } = signTransfer({ nonce: 0n })
  expect(await node.submit(raw, UNKNOWN)).toMatchObject({ kind: 'accepted' })
  // The reset empties the pool first. The state of the sender at the other block cannot be loaded then.
  node.events.once('dropped', () => {
    upstream.proxy.faults = Array.from({ length: 100 }, () => 'status500')
    void node.submit(raw, UNKNOWN)
  })
  let isPooledAgain = false
  node.events.once('unwound', () => {
    isPooledAgain = node.view().pool.get(hash) !== undefined
  })

  await node.development!.snapshots.resetOnto(await onBlock(OTHER), 'chain')

  expect(isPooledAgain).toBe(true)
  expect(node.view().pool.get(hash)).toBeUndefined()
  expect(node.view().head.pending.block.header.number).toBe(OTHER + 1)
})

test('a reset to a block with other rules is refused and changes nothing', async () => {
  const node = await start()
  const before = await shown(node)
  const other = await startRpcServer(async (body) =>
    // A member that only its chain knows explains why the hash does not follow from the header.
    (await upstream.node.rpc.handle(body))?.replace(/"extraData":"\w+"/g, '"extraData":"0x","own":"0x1"'),
  )
  onTestFinished(() => other.close())

  await expect(call(node, 'anvil_reset', { forking: { jsonRpcUrl: other.url, blockNumber: OTHER } })).rejects.toThrow(
    `start a node with --fork-block-number ${OTHER}`,
  )

  expect(await shown(node)).toEqual(before)
})

test('a node with a data directory of its own stays on its fork block', async () => {
  const datadir = mkdtempSync(join(tmpdir(), 'refork-'))
  onTestFinished(() => rmSync(datadir, { recursive: true, force: true }))
  const node = await start({ datadir })

  await expect(call(node, 'anvil_reset', { forking: { blockNumber: OTHER } })).rejects.toThrow('without --datadir')

  expect((await shown(node)).number).toBe(FIRST)
})

test('anvil_metadata and hardhat_metadata name the forked block', async () => {
  const node = await start()
  const forkedNetwork = { chainId: 31337, forkBlockNumber: FIRST, forkBlockHash: (await original(FIRST)).hash }

  expect(await call(node, 'anvil_metadata')).toMatchObject({ forkedNetwork })
  expect(await call(node, 'hardhat_metadata')).toMatchObject({ forkedNetwork })
})
